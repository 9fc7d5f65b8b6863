// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/flame_page.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "core/support/format.h"
#include "ui/flame/flame_controls.h"
#include "ui/flame/flame_minimap.h"
#include "ui/flame/flame_tip.h"
#include "ui/flame/flame_view.h"
#include "ui/flame/span_filter.h"
#include "ui/flame/span_model.h"
#include "ui/widgets/themed_label.h"

namespace fettle::ui {

namespace {

QString text(const std::string& utf8) {
    return QString::fromStdString(utf8);
}

QString msText(double ns, int decimals = 3) {
    return text(formatMs(ns, decimals)) + " ms";
}

// "-66 %" with a real minus sign, of a relative change.
QString changeText(double change) {
    const QString percent = text(formatDouble(std::fabs(change) * 100, 0)) + " %";
    return (change < 0 ? QString::fromUtf8("\u2212") : "+") + percent;
}

QString coloured(const QString& words, const QColor& colour) {
    return "<span style=\"color:" + colour.name() + "\">" + words.toHtmlEscaped() + "</span>";
}

QString runsText(int runs) {
    return runs == 1 ? FlamePage::tr("1 run") : FlamePage::tr("%1 runs").arg(runs);
}

// "Best, 200 runs"
QString profileTitle(const compile::Profile& profile) {
    QString title = text(profile.label).section(' ', 0, 0);
    if (!title.isEmpty()) title[0] = title[0].toUpper();
    return title + ", " + runsText(profile.runs);
}

// The change of a span from `before` to `now`; not a number when it is not in both.
double changeOf(const FlameTree& before, const FlameNode& node, const FlameTree& now) {
    const int index = int(&node - before.nodes.data());
    const int other = sameNode(before, index, now);
    if (now.nodes[other].depth != node.depth || node.durationNs == 0) return NAN;
    return double(now.nodes[other].durationNs) / double(node.durationNs) - 1;
}

}  // namespace

const compile::Profile* FlamePage::current() const {
    if (profiles_.empty()) return nullptr;
    return chosen_ >= 0 && chosen_ < int(profiles_.size()) ? profiles_[chosen_].get() : profiles_.back().get();
}

// The newest profile of default schedules other than the one shown.
const compile::Profile* FlamePage::before() const {
    for (auto it = profiles_.rbegin(); it != profiles_.rend(); ++it)
        if (it->get() != current() && (*it)->label.find("default") != std::string::npos) return it->get();
    return nullptr;
}

std::string FlamePage::classOf(int task) const {
    if (!model_ || task < 0 || task >= int(model_->tasks.size())) return "";
    const compile::Task& t = model_->tasks[task];
    if (t.kind != graph::OpKind::Convolution) return "";
    const std::string detail = t.detail.substr(0, t.detail.find(','));  // "Depthwise 3x3, stride 1" -> "Depthwise 3x3"
    return detail;
}

void FlamePage::setProfiles(std::vector<std::shared_ptr<const compile::Profile>> profiles,
                            std::shared_ptr<const compile::OpenedModel> model) {
    std::erase_if(profiles, [](const auto& profile) { return !profile || profile->spans.empty(); });
    const bool sameModel = model == model_ && !profiles_.empty();
    if (sameModel && profiles == profiles_) return;
    const auto kept = chosen_ >= 0 ? profiles_[chosen_] : nullptr;
    profiles_ = std::move(profiles);
    model_ = std::move(model);
    auto place = kept ? std::ranges::find(profiles_, kept) : profiles_.end();
    chosen_ = place == profiles_.end() ? -1 : int(place - profiles_.begin());
    runBox_->clear();
    for (auto it = profiles_.rbegin(); it != profiles_.rend(); ++it) runBox_->addItem(profileTitle(**it));
    runBox_->setCurrentIndex(chosen_ < 0 ? 0 : int(profiles_.size()) - 1 - chosen_);
    stack_->setCurrentIndex(profiles_.empty() ? 0 : 1);
    showProfile(sameModel);
}

void FlamePage::showProfile(bool keepPlace) {
    const compile::Profile* profile = current();
    if (!profile) return;
    const bool canCompare = before() != nullptr;
    compare_->setEnabled(canCompare);
    compare_->setToolTip(canCompare ? tr("Beside the run with default schedules")
                                    : tr("Profile both default and best schedules to compare them"));
    runTree_ = std::make_shared<FlameTree>(runTree(*profile, order_));
    minimap_->setTree(runTree_);
    legend_->setKinds(kindsOf(*runTree_));
    run_->setTree(runTree_, keepPlace);
    showLower(keepPlace);
    refreshSearch();
    followSelection();
}

void FlamePage::showLower(bool keepPlace) {
    const compile::Profile* profile = current();
    if (!profile) return;
    const compile::Profile* other = beforeAfter_ ? before() : nullptr;
    upperHeading_->setVisible(other != nullptr);
    summary_->setVisible(other != nullptr);
    table_->setVisible(other == nullptr);
    lower_->setAxis(other != nullptr);
    if (other) {
        lowerTree_ = std::make_shared<FlameTree>(runTree(*other, order_));
        upperTitle_->setText(tr("Now"));
        lowerTitle_->setText(tr("Before"));
        auto now = runTree_, then = lowerTree_;
        lower_->setColouring(
            [this, now, then](const FlameNode& node) {
                if (node.role == SpanRole::Model) return QColor();
                const double change = changeOf(*then, node, *now);
                return std::isnan(change) ? QColor() : differenceColour(theme_->tokens(), change);
            },
            [now, then](const FlameNode& node) {
                const double change = changeOf(*then, node, *now);
                const QString name = text(node.name);
                return node.role == SpanRole::Model || std::isnan(change) ? name : name + " " + changeText(change);
            });
    } else {
        lowerTree_ = std::make_shared<FlameTree>(aggregateTree(*profile, [this](int task) { return classOf(task); }));
        lowerTitle_->setText(tr("Aggregate of %1").arg(runsText(profile->runs)));
        lower_->setColouring({}, {});
    }
    lower_->setTree(lowerTree_, keepPlace);
    refreshPlace();
}

void FlamePage::refreshPlace() {
    const compile::Profile* profile = current();
    if (!profile || runTree_->empty() || run_->tree().empty()) return;
    const Tokens& t = theme_->tokens();
    const int node = run_->zoomNode();
    std::vector<int> path;
    for (int at = node; at >= 0; at = runTree_->nodes[at].parent) path.insert(path.begin(), at);
    QStringList links;
    for (int at : path) {
        const QString name = text(runTree_->nodes[at].name).toHtmlEscaped();
        links << (at == node ? "<b>" + coloured(text(runTree_->nodes[at].name), t.text1) + "</b>"
                             : QString("<a href=\"%1\" style=\"color:%2;text-decoration:none\">%3</a>")
                                   .arg(at)
                                   .arg(t.text2.name(), name));
    }
    const double shown = run_->range().length(), all = double(runTree_->totalNs());
    const QString share = shown < all * (1 - 1e-9) ? tr("%1 of all").arg(percentText(shown / all)) : msText(all, 2);
    crumbs_->setText(links.join(coloured(QString::fromUtf8("  \u203a  "), t.text3)) + "&nbsp; " +
                     coloured(share, t.text3));
    back_->setEnabled(shown < all * (1 - 1e-9));
    minimap_->setFrame(run_->shownRange());

    if (beforeAfter_ && before()) {
        const int other = sameNode(*runTree_, node, *lowerTree_);
        lower_->zoomToNode(other);
        const QString name = text(runTree_->nodes[node].name);
        upperCaption_->setText(
            tr("%1, %2 in %3").arg(text(current()->label), msText(double(runTree_->nodes[node].durationNs)), name));
        lowerCaption_->setText(
            tr("%1, %2 in %3; colour is the change from before to now")
                .arg(text(before()->label), msText(double(lowerTree_->nodes[other].durationNs)), name));
        summary_->setText(changeSummary());
    } else {
        lowerCaption_->setText(tr("same tasks merged, sorted by cost; spread %1").arg(percentText(profile->spread)));
    }
    refreshTable();
}

// The three operators in view that gained most, and what got slower.
QString FlamePage::changeSummary() const {
    struct Change {
        const FlameNode *before, *now;
    };
    std::vector<Change> changes;
    for (const FlameNode& node : lowerTree_->nodes) {
        if (node.role != SpanRole::Operator) continue;
        const FlameNode& now = runTree_->nodes[sameNode(*lowerTree_, int(&node - lowerTree_->nodes.data()), *runTree_)];
        const bool inView =
            double(now.startNs) >= run_->range().low - 1 && double(now.endNs()) <= run_->range().high + 1;
        if (now.group == node.group && inView) changes.push_back({&node, &now});
    }
    auto gain = [](const Change& c) { return double(c.before->durationNs - c.now->durationNs); };
    std::ranges::stable_sort(changes, std::greater(), gain);
    const Tokens& t = theme_->tokens();
    auto words = [&](const Change& c) {
        const double change = -gain(c);
        const QString sign = change < 0 ? QString::fromUtf8("\u2212") : "+";
        return "<b>" + coloured(text(c.now->name), t.text1) + "</b> " +
               coloured(text(formatMs(double(c.before->durationNs))) + QString::fromUtf8("\u00a0\u2192\u00a0") +
                            text(formatMs(double(c.now->durationNs))),
                        t.text3) +
               " <b>" +
               coloured(QString(sign + msText(std::fabs(change))).replace(' ', QChar(QChar::Nbsp)),
                        change < 0 ? t.better : t.worse) +
               "</b>";
    };
    QStringList best;
    for (const Change& change : changes)
        if (best.size() < 3 && gain(change) > 0) best << words(change);
    QString all = best.join("&nbsp;&nbsp;&nbsp;&nbsp; ");
    if (!changes.empty() && gain(changes.back()) < 0) all += "<br>" + tr("Slower:") + " " + words(changes.back());
    return all;
}

void FlamePage::refreshSearch() {
    const SpanFilter filter = makeSpanFilter(search_->text());
    if (!filter.valid) search_->setNote(tr("not an expression"));
    if (!filter.wanted) {
        if (filter.valid) search_->setNote(search_->text().isEmpty() ? tr("Ctrl+F") : "");
        run_->setMatch(nullptr);
        lower_->setMatch(nullptr);
        return refreshTable();
    }
    auto match = std::make_shared<FlameMatch>(findSpans(*runTree_, filter.wanted));
    const double all = double(runTree_->totalNs());
    search_->setNote(match->count == 0 ? tr("nothing")
                                       : QString::fromUtf8("%1 \u00b7 %2 \u00b7 %3")
                                             .arg(match->count == 1 ? tr("1 span") : tr("%1 spans").arg(match->count),
                                                  msText(double(match->totalNs)),
                                                  percentText(all > 0 ? double(match->totalNs) / all : 0)));
    run_->setMatch(std::move(match));
    lower_->setMatch(std::make_shared<FlameMatch>(findSpans(*lowerTree_, filter.wanted)));
    refreshTable();
}

void FlamePage::refreshTable() {
    if (runTree_->empty()) return;
    const SpanFilter search = makeSpanFilter(search_->text()), chips = makeSpanFilter(selection_->filter());
    auto tree = runTree_;
    const FlameRange range = run_->range();
    const double slack = range.length() * 1e-6;
    auto wanted = [=](int index) {
        const FlameNode& node = tree->nodes[index];
        const bool inView = double(node.endNs()) > range.low + slack && double(node.startNs) < range.high - slack;
        return inView && (!search.wanted || search.wanted(node)) && (!chips.wanted || chips.wanted(node));
    };
    following_ = true;
    spans_->setRows(runTree_, 0, wanted);
    following_ = false;
    followSelection();
}

void FlamePage::followSelection() {
    run_->setSelected(selection_->group(), selection_->task());
    lower_->setSelected(beforeAfter_ ? selection_->group() : -1, selection_->task());
    const int row = spans_->rowOf(selection_->group(), selection_->task());
    following_ = true;
    if (row < 0) {
        table_->clearSelection();
    } else {
        auto* sorted = static_cast<QSortFilterProxyModel*>(table_->model());
        const QModelIndex index = sorted->mapFromSource(spans_->index(row, 0));
        table_->selectRow(index.row());
        table_->scrollTo(index);
    }
    following_ = false;
}

void FlamePage::choose(FlameView* view, int node) {
    const FlameNode& span = view->tree().nodes[node];
    if (span.role != SpanRole::Operator && span.role != SpanRole::Stage) return;
    if (view == lower_ && !beforeAfter_)
        selection_->selectTask(span.task);
    else
        selection_->selectOperator(span.group, span.task);
}

void FlamePage::setSearch(const QString& words) {
    search_->setText(words);
}

void FlamePage::focusSearch() {
    search_->setFocus(Qt::ShortcutFocusReason);
    search_->selectAll();
}

void FlamePage::setBeforeAfter(bool on) {
    if (on == beforeAfter_) return;
    beforeAfter_ = on && before();
    compare_->setChecked(beforeAfter_);
    showLower(false);
    refreshSearch();
    followSelection();
}

void FlamePage::setIcicle(bool on) {
    icicle_->setChecked(on);
    flame_->setChecked(!on);
    run_->setIcicle(on);
    lower_->setIcicle(on);
}

void FlamePage::setOrder(FlameOrder order) {
    orderBox_->setCurrentIndex(int(order));
    if (order == order_) return;
    order_ = order;
    showProfile(true);
}

Status FlamePage::exportTo(const QString& file, FlameFormat format) const {
    const compile::Profile* profile = current();
    if (!profile)
        return fail(ErrorCode::Failed, "cannot write the flame chart", file.toStdString(), "there is no profile yet",
                    "Press Profile first.");
    FlamePicture picture;
    picture.title = text(runTree_->nodes[0].name) + ", " + msText(double(runTree_->totalNs()), 2);
    picture.caption = profileTitle(*profile);
    picture.range = run_->range();
    return exportFlame(file, format, *profile, *runTree_, run_->style(), *theme_, picture);
}

void FlamePage::askExport(FlameFormat format) {
    const auto row = std::ranges::find(kFlameFormats, format, &FlameFormatRow::format);
    const QString suffix = row->suffix;
    QString file = QFileDialog::getSaveFileName(this, tr("Export the flame chart"), "flame." + suffix,
                                                tr(row->name) + " (*." + suffix + ")");
    if (file.isEmpty()) return;
    if (!file.contains('.')) file += "." + suffix;
    if (Status status = exportTo(file, format); status)
        emit exportDone(file);
    else
        emit exportFailed(status.error());
}

}  // namespace fettle::ui
