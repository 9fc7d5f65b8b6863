// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/sample_model.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace fettle::ui {

namespace {
const char* const kName = "digits_mobilenet";
}

QString sampleModelFile() {
    const QString program = QCoreApplication::applicationDirPath();
    // installed: PREFIX/bin beside PREFIX/share; in a build tree: build/bin below the sources
    for (const char* folder : {"/../share/fettle/sample/", "/../../resources/sample/", "/../../../resources/sample/"}) {
        const QString file = QDir::cleanPath(program + folder + kName + "/model.onnx");
        if (QFileInfo::exists(file)) return file;
    }
    return {};
}

QString sampleModelForUser() {
    const QString source = sampleModelFile();
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + "/fettle/sample";
    const QString copy = folder + '/' + kName + ".onnx";
    if (source.isEmpty() || !QDir().mkpath(folder)) return {};
    if (QFileInfo::exists(copy) && QFileInfo(copy).size() == QFileInfo(source).size()) return copy;
    QFile::remove(copy);
    return QFile::copy(source, copy) ? copy : QString();
}

}  // namespace fettle::ui
