// SPDX-License-Identifier: GPL-3.0-or-later
// How the Flame page is put together.
#include <QBoxLayout>
#include <QButtonGroup>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>

#include "ui/flame/flame_controls.h"
#include "ui/flame/flame_minimap.h"
#include "ui/flame/flame_view.h"
#include "ui/flame/span_model.h"
#include "ui/pages/flame_page.h"
#include "ui/shell/icons.h"
#include "ui/widgets/themed_label.h"

namespace fettle::ui {

namespace {

QPushButton* segment(const QString& text, const char* place, QButtonGroup* group) {
    auto* button = new QPushButton(text);
    button->setProperty("segment", place);
    button->setProperty("dense", true);
    button->setCheckable(true);
    group->addButton(button);
    return button;
}

QWidget* heading(QWidget* title, QWidget* caption, int height) {
    auto* row = new QWidget;
    row->setFixedHeight(height);
    auto* box = new QHBoxLayout(row);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(8);
    box->addWidget(title);
    box->addStretch();
    box->addWidget(caption);
    return row;
}

QWidget* emptyPage(Theme* theme, FlamePage* page) {
    auto* empty = new QWidget;
    auto* column = new QVBoxLayout(empty);
    auto* text = new ThemedLabel(theme, FontRole::Normal, Ink::Text2,
                                 FlamePage::tr("Profile the model to see where its time goes, span by span."));
    text->setAlignment(Qt::AlignCenter);
    auto* button = new QPushButton(FlamePage::tr("Profile"));
    button->setProperty("primary", true);
    QObject::connect(button, &QPushButton::clicked, page, &FlamePage::profileRequested);
    column->addStretch();
    column->addWidget(text);
    column->addSpacing(theme->px(12));
    column->addWidget(button, 0, Qt::AlignHCenter);
    column->addStretch();
    return empty;
}

}  // namespace

FlamePage::FlamePage(Theme* theme, SelectionContext* selection, QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      selection_(selection),
      runTree_(std::make_shared<FlameTree>()),
      lowerTree_(runTree_) {
    setProperty("surface", true);
    setAttribute(Qt::WA_StyledBackground);
    auto* filled = new QWidget;
    auto* column = new QVBoxLayout(filled);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* bar = new QHBoxLayout;
    buildToolbar(bar);
    column->addLayout(bar);
    buildCharts(column);
    stack_ = new QStackedWidget;
    stack_->addWidget(emptyPage(theme_, this));
    stack_->addWidget(filled);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(stack_);
    connect(theme_, &Theme::changed, this, &FlamePage::applyTheme);
    connect(selection_, &SelectionContext::operatorChanged, this, &FlamePage::followSelection);
    connect(selection_, &SelectionContext::filterChanged, this, &FlamePage::refreshTable);
    applyTheme();
}

FlamePage::~FlamePage() = default;

void FlamePage::buildToolbar(QHBoxLayout* bar) {
    bar->setContentsMargins(theme_->px(12), theme_->px(6), theme_->px(12), theme_->px(6));
    bar->setSpacing(theme_->px(8));
    search_ = new FlameSearchField(theme_);
    search_->setMinimumWidth(theme_->px(150));
    search_->setMaximumWidth(theme_->px(340));
    connect(search_, &QLineEdit::textChanged, this, &FlamePage::refreshSearch);
    bar->addWidget(search_, 5);

    auto* shapes = new QButtonGroup(this);
    icicle_ = segment(tr("Icicle"), "first", shapes);
    flame_ = segment(tr("Flame"), "true", shapes);
    icicle_->setChecked(true);
    icicle_->setToolTip(tr("The model on top"));
    flame_->setToolTip(tr("The model at the bottom"));
    connect(icicle_, &QPushButton::toggled, this, &FlamePage::setIcicle);
    auto* pair = new QHBoxLayout;
    pair->setSpacing(0);
    pair->addWidget(icicle_);
    pair->addWidget(flame_);
    bar->addLayout(pair);

    orderBox_ = new QComboBox;
    orderBox_->setProperty("dense", true);
    orderBox_->setAccessibleName(tr("Order of spans"));
    orderBox_->addItems({tr("Order: time"), tr("Order: cost")});
    connect(orderBox_, &QComboBox::currentIndexChanged, this, [this](int index) { setOrder(FlameOrder(index)); });
    bar->addWidget(orderBox_);
    runBox_ = new QComboBox;
    runBox_->setProperty("dense", true);
    runBox_->setAccessibleName(tr("Profile"));
    runBox_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    connect(runBox_, &QComboBox::activated, this, [this](int index) {
        chosen_ = index == 0 ? -1 : int(profiles_.size()) - 1 - index;
        showProfile(true);
    });
    bar->addWidget(runBox_);
    compare_ = new QPushButton(tr("Before / after"));
    compare_->setProperty("follow", true);
    compare_->setCheckable(true);
    connect(compare_, &QPushButton::toggled, this, &FlamePage::setBeforeAfter);
    bar->addWidget(compare_);
    bar->addStretch();

    export_ = new QToolButton;
    export_->setProperty("framed", true);
    export_->setAccessibleName(tr("Export the flame chart"));
    export_->setToolTip(tr("Export as SVG, PNG, PDF, Chrome trace or folded stacks"));
    export_->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(export_);
    for (const FlameFormatRow& row : kFlameFormats)
        menu->addAction(tr(row.name), this, [this, format = row.format] { askExport(format); });
    export_->setMenu(menu);
    bar->addWidget(export_);
}

void FlamePage::buildCharts(QVBoxLayout* column) {
    const int margin = theme_->px(12);
    auto* crumbRow = new QHBoxLayout;
    crumbRow->setContentsMargins(margin, 0, margin, 0);
    back_ = new QToolButton;
    back_->setProperty("flat", true);
    back_->setAccessibleName(tr("Back"));
    back_->setToolTip(tr("Back (Backspace)"));
    connect(back_, &QToolButton::clicked, this, [this] { run_->zoomBack(); });
    crumbs_ = new QLabel;
    crumbs_->setTextFormat(Qt::RichText);
    crumbs_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    crumbs_->setMinimumWidth(60);
    crumbs_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    connect(crumbs_, &QLabel::linkActivated, this, [this](const QString& link) { run_->zoomToNode(link.toInt()); });
    legend_ = new FlameLegend(theme_);
    crumbRow->addWidget(back_);
    crumbRow->addWidget(crumbs_, 1);
    crumbRow->addWidget(legend_);
    auto* crumbHost = new QWidget;
    crumbHost->setLayout(crumbRow);
    crumbHost->setFixedHeight(theme_->px(32));
    column->addWidget(crumbHost);

    auto* charts = new QWidget;
    charts->setProperty("surface", true);
    auto* inside = new QVBoxLayout(charts);
    inside->setContentsMargins(margin, theme_->px(4), margin, margin);
    inside->setSpacing(theme_->px(4));
    minimap_ = new FlameMinimap(theme_);
    run_ = new FlameView(theme_, tr("Flame chart of one run"));
    run_->setAxis(true);
    lower_ = new FlameView(theme_, tr("Flame chart of all runs"));
    upperTitle_ = new ThemedLabel(theme_, FontRole::DenseStrong, Ink::Text1);
    upperCaption_ = new ThemedLabel(theme_, FontRole::Caption, Ink::Text3);
    lowerTitle_ = new ThemedLabel(theme_, FontRole::DenseStrong, Ink::Text1);
    lowerCaption_ = new ThemedLabel(theme_, FontRole::Caption, Ink::Text3);
    summary_ = new ThemedLabel(theme_, FontRole::Dense, Ink::Text2);
    summary_->setWordWrap(true);
    summary_->setTextFormat(Qt::RichText);
    upperHeading_ = heading(upperTitle_, upperCaption_, theme_->px(26));
    inside->addWidget(minimap_);
    inside->addWidget(upperHeading_);
    inside->addWidget(run_);
    inside->addSpacing(theme_->px(8));
    inside->addWidget(heading(lowerTitle_, lowerCaption_, theme_->px(26)));
    inside->addWidget(lower_);
    inside->addWidget(summary_);
    inside->addStretch();
    connect(minimap_, &FlameMinimap::frameMoved, this, [this](double middle) {
        const double half = run_->range().length() / 2;
        run_->zoomTo({middle - half, middle + half});
    });
    connect(run_, &FlameView::frameChanged, this, [this] { minimap_->setFrame(run_->shownRange()); });
    connect(run_, &FlameView::rangeChanged, this, &FlamePage::refreshPlace);
    for (FlameView* view : {run_, lower_}) {
        connect(view, &FlameView::nodeChosen, this, [this, view](int node) { choose(view, node); });
        connect(view, &FlameView::escaped, search_, &QLineEdit::clear);
    }

    scroll_ = new QScrollArea;
    scroll_->setWidgetResizable(true);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setWidget(charts);
    buildTable();
    splitter_ = new QSplitter(Qt::Vertical);
    splitter_->addWidget(scroll_);
    splitter_->addWidget(table_);
    splitter_->setStretchFactor(0, 1);
    splitter_->setSizes({theme_->px(390), theme_->px(24 * 6 + 6)});
    splitter_->setChildrenCollapsible(false);
    column->addWidget(splitter_, 1);
}

void FlamePage::buildTable() {
    spans_ = new SpanModel(this);
    auto* sorted = new SpanSorter(this);
    sorted->setSourceModel(spans_);
    sorted->setSortRole(SpanModel::SortRole);
    table_ = new QTableView;
    table_->setAccessibleName(tr("Spans"));
    table_->setModel(sorted);
    table_->setItemDelegate(new SpanDelegate(theme_, table_));
    table_->setSortingEnabled(true);
    table_->sortByColumn(SpanModel::Total, Qt::DescendingOrder);
    table_->horizontalHeader()->setSortIndicatorShown(false);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->setTabKeyNavigation(false);
    table_->setMouseTracking(true);
    table_->setFrameShape(QFrame::NoFrame);
    table_->setMinimumHeight(theme_->px(24 * 3));
    table_->verticalHeader()->hide();
    table_->horizontalHeader()->setHighlightSections(false);
    table_->horizontalHeader()->setSectionResizeMode(SpanModel::Span, QHeaderView::Stretch);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& row) {
        if (row.isValid() && !following_) choose(run_, row.data(SpanModel::NodeRole).toInt());
    });
    connect(table_, &QTableView::doubleClicked, this,
            [this](const QModelIndex& row) { run_->zoomToNode(row.data(SpanModel::NodeRole).toInt()); });
}

void FlamePage::applyTheme() {
    const Tokens& t = theme_->tokens();
    compare_->setIcon(themedIcon("view-split-left-right", t.text1));
    export_->setIcon(themedIcon("download", t.text1));
    back_->setIcon(themedIcon("go-previous", t.text2));
    for (QWidget* dense :
         {static_cast<QWidget*>(icicle_), static_cast<QWidget*>(flame_), static_cast<QWidget*>(orderBox_),
          static_cast<QWidget*>(runBox_), static_cast<QWidget*>(compare_)})
        dense->setFont(theme_->font(FontRole::Dense));
    crumbs_->setFont(theme_->font(FontRole::Dense));
    table_->verticalHeader()->setDefaultSectionSize(theme_->px(24));
    table_->verticalHeader()->setMinimumSectionSize(theme_->px(24));
    table_->horizontalHeader()->setFixedHeight(theme_->px(24));
    table_->horizontalHeader()->setFont(theme_->font(FontRole::Caption));
    static constexpr int kWidths[] = {0, 84, 84, 84, 90, 62, 84};
    for (int column = 1; column < SpanModel::ColumnCount; ++column)
        table_->setColumnWidth(column, theme_->px(kWidths[column]));
    refreshPlace();
    refreshSearch();
}

}  // namespace fettle::ui
