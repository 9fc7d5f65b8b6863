// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/problem_model.h"

#include <algorithm>

#include "ui/models/trial_model.h"

namespace fettle::ui {

namespace {

// Two failures are one problem when they differ only in numbers.
QString withoutNumbers(QString cause) {
    static const QRegularExpression number("[0-9][0-9.e+-]*");
    return cause.replace(number, "#");
}

}  // namespace

ProblemModel::ProblemModel(const SessionData& data, QObject* parent) : QAbstractTableModel(parent), session_(data) {}

int ProblemModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(problems_.size());
}
int ProblemModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

void ProblemModel::take(const store::TrialRow& trial) {
    const measure::TrialStatus status = statusOf(trial);
    if (status == measure::TrialStatus::Ok || status == measure::TrialStatus::Cancelled) return;
    const QString cause = QString::fromStdString(trial.error);
    const QString key = withoutNumbers(cause);
    auto same = [&](const Row& row) { return row.status == trial.status && withoutNumbers(row.cause) == key; };
    auto it = std::find_if(problems_.begin(), problems_.end(), same);
    const bool fresh = it == problems_.end();
    if (fresh) {
        beginInsertRows({}, int(problems_.size()), int(problems_.size()));
        const QString action = status == measure::TrialStatus::WrongResult ? tr("Not ranked; kept with its schedule")
                               : status == measure::TrialStatus::Crash     ? tr("Worker restarted; candidate dropped")
                                                                           : tr("Candidate dropped");
        problems_.push_back({statusText(status), cause, action, trial.status, 0, {}, 0});
        it = problems_.end() - 1;
    }
    ++it->trials;
    it->lastTrial = trial.id;
    if (std::find(it->tasks.begin(), it->tasks.end(), trial.task) == it->tasks.end()) it->tasks.push_back(trial.task);
    if (fresh) endInsertRows();
}

void ProblemModel::refresh() {
    const bool hadRows = !problems_.empty();
    for (; seen_ < session_.trials.size(); ++seen_) take(session_.trials[seen_]);
    if (hadRows) emit dataChanged(index(0, 0), index(int(problems_.size()) - 1, ColumnCount - 1));
}

void ProblemModel::addWarning(const Error& error) {
    const QString what = QString::fromStdString(error.what), why = QString::fromStdString(error.why);
    for (const Row& row : problems_)
        if (row.status < 0 && row.problem == tr("warning") && row.cause == what + ": " + why) return;
    beginInsertRows({}, int(problems_.size()), int(problems_.size()));
    problems_.push_back(
        {tr("warning"), why.isEmpty() ? what : what + ": " + why, QString::fromStdString(error.next), -1, 0, {}, 0});
    endInsertRows();
}

void ProblemModel::reset() {
    beginResetModel();
    problems_.clear();
    seen_ = 0;
    endResetModel();
}

QString ProblemModel::operatorsOf(const Row& row) const {
    QStringList names;
    for (size_t i = 0; i < row.tasks.size() && i < 2; ++i)
        if (const TaskState* task = session_.task(row.tasks[i])) names << QString::fromStdString(task->row.name);
    if (row.tasks.size() > 2) names << QString("+%1").arg(row.tasks.size() - 2);
    return names.join(", ");
}

QVariant ProblemModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= int(problems_.size())) return {};
    const Row& row = problems_[index.row()];
    switch (role) {
        case Qt::DisplayRole:
        case SortRole:
            switch (index.column()) {
                case Class:
                    return row.problem;
                case Trials:
                    return row.trials > 0 ? QVariant(row.trials) : QVariant();
                case Operators:
                    return operatorsOf(row);
                case Cause:
                    return row.cause;
                case Action:
                    return row.action;
            }
            return {};
        case Qt::ToolTipRole:
            return index.column() == Cause ? row.cause : QVariant();
        case HatchRole:
            return index.column() == Class ? QVariant(true) : QVariant();
        case TaskRole:
            return row.tasks.empty() ? -1 : row.tasks.back();
        case TrialRole:
            return row.lastTrial;
        case EmphasisRole:
            return int(index.column() == Action ? Emphasis::Faint : Emphasis::None);
        case Qt::TextAlignmentRole:
            return int((index.column() == Trials ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        default:
            return {};
    }
}

QVariant ProblemModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Trials ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Class:
            return tr("Class");
        case Trials:
            return tr("Trials");
        case Operators:
            return tr("Operators");
        case Cause:
            return tr("Cause");
        case Action:
            return tr("What Fettle did");
        default:
            return {};
    }
}

}  // namespace fettle::ui
