// SPDX-License-Identifier: GPL-3.0-or-later
// The Flame page: one run of the whole model as nested spans, below it the aggregate of equal tasks or the run before
// tuning, and the spans as a table. Choosing a span chooses the operator for the whole window.
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "core/compile/model.h"
#include "ui/flame/flame_export.h"
#include "ui/flame/flame_tree.h"
#include "ui/shell/selection_context.h"
#include "ui/shell/theme.h"

class QComboBox;
class QLabel;
class QPushButton;
class QScrollArea;
class QSplitter;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace fettle::ui {

class FlameLegend;
class FlameMinimap;
class FlameSearchField;
class FlameView;
class SpanModel;
class ThemedLabel;

class FlamePage : public QWidget {
    Q_OBJECT
public:
    FlamePage(Theme* theme, SelectionContext* selection, QWidget* parent = nullptr);
    ~FlamePage() override;

    // Newest last; the newest is shown unless the user chose another. `model` names the classes of tasks; may be null.
    void setProfiles(std::vector<std::shared_ptr<const compile::Profile>> profiles,
                     std::shared_ptr<const compile::OpenedModel> model);
    void focusSearch();
    FlameView* runView() const { return run_; }
    FlameView* lowerView() const { return lower_; }
    Status exportTo(const QString& file, FlameFormat format) const;

public slots:
    void setSearch(const QString& text);
    void setBeforeAfter(bool on);
    void setIcicle(bool on);
    void setOrder(fettle::ui::FlameOrder order);

signals:
    void profileRequested();  // the button of the empty page
    void exportFailed(const fettle::Error& error);
    void exportDone(const QString& file);

private:
    void buildToolbar(class QHBoxLayout* bar);
    void buildCharts(class QVBoxLayout* column);
    void buildTable();
    void applyTheme();
    void showProfile(bool keepPlace);
    void showLower(bool keepPlace);
    void refreshSearch();
    void refreshPlace();  // crumbs, minimap, table: after a zoom
    void refreshTable();
    void followSelection();
    void choose(FlameView* view, int node);
    void askExport(FlameFormat format);
    const compile::Profile* current() const;
    const compile::Profile* before() const;
    std::string classOf(int task) const;
    QString changeSummary() const;

    Theme* theme_;
    SelectionContext* selection_;
    std::vector<std::shared_ptr<const compile::Profile>> profiles_;
    std::shared_ptr<const compile::OpenedModel> model_;
    std::shared_ptr<const FlameTree> runTree_, lowerTree_;
    FlameOrder order_ = FlameOrder::Time;
    int chosen_ = -1;  // index into profiles_; -1: the newest
    bool beforeAfter_ = false, following_ = false;

    QStackedWidget* stack_;
    FlameSearchField* search_;
    QPushButton *icicle_, *flame_, *compare_;
    QComboBox *orderBox_, *runBox_;
    QToolButton *export_, *back_;
    QLabel* crumbs_;
    FlameLegend* legend_;
    FlameMinimap* minimap_;
    QScrollArea* scroll_;
    QSplitter* splitter_;
    FlameView *run_, *lower_;
    ThemedLabel *upperTitle_, *upperCaption_, *lowerTitle_, *lowerCaption_, *summary_;
    QWidget* upperHeading_;
    QTableView* table_;
    SpanModel* spans_;
};

}  // namespace fettle::ui
