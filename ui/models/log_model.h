// SPDX-License-Identifier: GPL-3.0-or-later
// What happened in this window, one line an event, newest last. Keeps the newest 5,000 lines.
#pragma once

#include <QAbstractTableModel>
#include <QDateTime>
#include <deque>

namespace fettle::ui {

class LogModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Time, Message, ColumnCount };
    static constexpr int kLimit = 5000;

    using QAbstractTableModel::QAbstractTableModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    void add(const QString& message);
    QString allText() const;

private:
    struct Line {
        QDateTime time;
        QString message;
    };
    std::deque<Line> lines_;
};

}  // namespace fettle::ui
