// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/settings.h"

#include <QFileInfo>
#include <QStandardPaths>
#include <algorithm>
#include <cmath>

namespace fettle::ui {

Settings::Settings(const QString& file) : store_(file, QSettings::IniFormat) {}

QString Settings::defaultFile() {
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + "/fettle/fettle.ini";
}

ThemeChoice Settings::theme() const {
    const QString name = store_.value("window/theme").toString();
    return name == "light" ? ThemeChoice::Light : name == "dark" ? ThemeChoice::Dark : ThemeChoice::System;
}

void Settings::setTheme(ThemeChoice choice) {
    store_.setValue("window/theme", choice == ThemeChoice::Light  ? "light"
                                    : choice == ThemeChoice::Dark ? "dark"
                                                                  : "system");
}

QByteArray Settings::geometry() const {
    return store_.value("window/geometry").toByteArray();
}

QByteArray Settings::layout() const {
    return store_.value("window/layout").toByteArray();
}

void Settings::setLayout(const QByteArray& geometry, const QByteArray& layout) {
    store_.setValue("window/geometry", geometry);
    store_.setValue("window/layout", layout);
}

int Settings::budgetTrials() const {
    return std::clamp(store_.value("tune/trials", 256).toInt(), 0, 1000000);
}

double Settings::budgetMinutes() const {
    const double minutes = store_.value("tune/minutes", 0).toDouble();
    return std::isfinite(minutes) ? std::clamp(minutes, 0.0, 10000.0) : 0.0;
}

int Settings::threads() const {
    return std::clamp(store_.value("tune/threads", 1).toInt(), 1, 1024);
}

void Settings::setBudget(int trials, double minutes, int threads) {
    store_.setValue("tune/trials", trials);
    store_.setValue("tune/minutes", minutes);
    store_.setValue("tune/threads", threads);
}

QList<RecentSession> Settings::recent() const {
    QList<RecentSession> sessions;
    auto& store = const_cast<QSettings&>(store_);
    const int count = std::min(store.beginReadArray("recent"), kRecentLimit);
    for (int i = 0; i < count; ++i) {
        store.setArrayIndex(i);
        RecentSession s;
        s.file = store.value("file").toString();
        s.model = store.value("model").toString();
        s.target = store.value("target").toString();
        s.trials = store.value("trials").toInt();
        s.budget = store.value("budget").toInt();
        s.baselineNs = store.value("baselineNs").toDouble();
        s.bestNs = store.value("bestNs").toDouble();
        s.lastUsed = store.value("lastUsed").toDateTime();
        s.finished = store.value("finished").toBool();
        if (!s.file.isEmpty()) sessions << s;
    }
    store.endArray();
    return sessions;
}

void Settings::writeRecent(const QList<RecentSession>& sessions) {
    store_.remove("recent");
    store_.beginWriteArray("recent", int(sessions.size()));
    for (int i = 0; i < sessions.size(); ++i) {
        store_.setArrayIndex(i);
        const RecentSession& s = sessions[i];
        store_.setValue("file", s.file);
        store_.setValue("model", s.model);
        store_.setValue("target", s.target);
        store_.setValue("trials", s.trials);
        store_.setValue("budget", s.budget);
        store_.setValue("baselineNs", s.baselineNs);
        store_.setValue("bestNs", s.bestNs);
        store_.setValue("lastUsed", s.lastUsed);
        store_.setValue("finished", s.finished);
    }
    store_.endArray();
}

void Settings::remember(const RecentSession& session) {
    QList<RecentSession> sessions = recent();
    sessions.removeIf([&](const RecentSession& s) { return s.file == session.file; });
    sessions.prepend(session);
    while (sessions.size() > kRecentLimit) sessions.removeLast();
    writeRecent(sessions);
}

void Settings::forget(const QString& file) {
    QList<RecentSession> sessions = recent();
    sessions.removeIf([&](const RecentSession& s) { return s.file == file; });
    writeRecent(sessions);
}

}  // namespace fettle::ui
