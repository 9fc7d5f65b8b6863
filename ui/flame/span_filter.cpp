// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/flame/span_filter.h"

#include <QRegularExpression>

namespace fettle::ui {

SpanFilter makeSpanFilter(const QString& typed) {
    const QString text = typed.trimmed();
    if (text.isEmpty()) return {};
    if (text.size() > 2 && text.startsWith('/') && text.endsWith('/')) {
        QRegularExpression pattern(text.mid(1, text.size() - 2), QRegularExpression::CaseInsensitiveOption);
        if (!pattern.isValid()) return {{}, false};
        return {
            [pattern](const FlameNode& node) { return pattern.match(QString::fromStdString(node.name)).hasMatch(); },
            true};
    }
    for (int kind = 0; kind <= int(graph::OpKind::Other); ++kind)
        if (text.compare(QLatin1String(graph::kindName(graph::OpKind(kind))), Qt::CaseInsensitive) == 0)
            return {[kind](const FlameNode& node) { return node.role == SpanRole::Operator && int(node.kind) == kind; },
                    true};
    return {
        [text](const FlameNode& node) { return QString::fromStdString(node.name).contains(text, Qt::CaseInsensitive); },
        true};
}

}  // namespace fettle::ui
