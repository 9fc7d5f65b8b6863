// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/session_controller.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include "core/support/format.h"

namespace fettle::ui {

struct SessionController::Opened {
    Result<std::shared_ptr<SessionDriver>> driver;
    SessionHistory history;
};

namespace {

QString text(const std::string& s) {
    return QString::fromStdString(s);
}

}  // namespace

// Runs work() on a thread of the pool and done(result) on the GUI thread; done is dropped when `receiver` is gone.
template <class Work, class Done>
void SessionController::runAsync(Work work, Done done, QObject* receiver) {
    QPointer<QObject> alive(receiver);
    QPointer<SessionController> self(this);
    QObject* application = QCoreApplication::instance();
    QThreadPool::globalInstance()->start([=]() mutable {
        auto result = std::make_shared<decltype(work())>(work());
        QMetaObject::invokeMethod(
            application,
            [=]() mutable {
                if (alive && self) done(std::move(*result));
            },
            Qt::QueuedConnection);
    });
}

SessionController::SessionController(DriverOpener opener, QObject* parent)
    : QObject(parent), opener_(std::move(opener)), woken_(std::make_shared<std::atomic<bool>>(false)) {
    batch_.setInterval(kBatchMs);
    batch_.setSingleShot(true);
    connect(&batch_, &QTimer::timeout, this, &SessionController::drain);
}

SessionController::~SessionController() {
    close();
}

bool SessionController::busy() const {
    switch (data_.state) {
        case session::State::Profiling:
        case session::State::Tuning:
        case session::State::Pausing:
        case session::State::Paused:
        case session::State::Stopping:
        case session::State::Exporting:
            return true;
        default:
            return false;
    }
}

bool SessionController::tuning() const {
    return data_.state == session::State::Tuning || data_.state == session::State::Pausing ||
           data_.state == session::State::Paused;
}

void SessionController::open(const QString& file, const session::OpenOptions& options) {
    opening_ = true;
    dropSession();
    file_ = file;
    options_ = options;
    const quint64 generation = ++generation_;
    emit openStarted(file);
    emit logged(tr("Opening %1").arg(file));
    auto work = [opener = opener_, path = std::filesystem::path(file.toStdU16String()), options] {
        Opened opened{opener(path, options), {}};
        if (opened.driver) opened.history = (*opened.driver)->history();
        return opened;
    };
    runAsync(
        work, [this, generation](Opened opened) { takeOpened(generation, std::move(opened)); }, this);
}

void SessionController::takeOpened(quint64 generation, Opened result) {
    if (generation != generation_) return;  // another file was opened meanwhile; this one closes itself
    opening_ = false;
    if (!result.driver) {
        file_.clear();
        emit openFailed(result.driver.error());
        emit logged(text(result.driver.error().message()));
        return;
    }
    driver_ = std::move(*result.driver);
    data_ = {};
    data_.state = driver_->state();
    setOutline(data_, driver_->outline());
    appendTrials(data_, std::move(result.history.trials));
    for (const cost::Quality& quality : result.history.models)
        data_.qualities.push_back(quality), data_.quality = quality;
    for (compile::Profile& profile : result.history.profiles)
        data_.profiles.push_back(std::make_shared<const compile::Profile>(std::move(profile)));
    // `wake` may be called from any thread, also after we are gone: it only sets a flag and posts one call.
    QPointer<SessionController> self(this);
    QObject* application = QCoreApplication::instance();
    driver_->setWake([self, application, woken = woken_] {
        if (woken->exchange(true)) return;
        QMetaObject::invokeMethod(
            application,
            [self] {
                if (self && !self->batch_.isActive()) self->batch_.start();
            },
            Qt::QueuedConnection);
    });
    emit opened();
    emit changed(~0u);
    drain();
    measureRoofLater();
}

void SessionController::measureRoofLater() {
    roof_ = {};
    const int threads = 1;
    runAsync([driver = driver_, threads] { return driver->measureRoof(threads); },
             [this, generation = generation_](Roof roof) {
                 if (generation != generation_ || !roof.known()) return;
                 roof_ = roof;
                 emit roofMeasured();
             },
             this);
}

void SessionController::close() {
    opening_ = false;
    dropSession();
}

void SessionController::dropSession() {
    ++generation_;
    batch_.stop();
    if (!driver_) return;
    driver_->setWake({});
    // Ending the work waits for a trial in flight: not on this thread. Nothing is lost, the trials are on disk.
    QThreadPool::globalInstance()->start([driver = std::move(driver_)]() mutable { driver.reset(); });
    driver_ = nullptr;
    data_ = {};
    file_.clear();
    roof_ = {};
    emit closed();
}

void SessionController::drain() {
    if (!driver_) return;
    woken_->store(false);
    unsigned changes = 0;
    bool sawProfile = false;
    auto events = driver_->poll();
    for (session::Event& event : events) {
        announce(event);
        changes |= apply(data_, std::move(event));
        sawProfile = sawProfile || (changes & ChangedProfile);
    }
    if (auto outline = driver_->outline(); outline != data_.outline) {
        setOutline(data_, outline);
        changes |= ChangedTasks;
    }
    if (changes) emit changed(changes);
    if (sawProfile) emit profileReady(data_.profiles.back());
    // A source that never stops being busy still gets a batch every 100 ms.
    if (woken_->load() && !batch_.isActive()) batch_.start();
}

void SessionController::announce(session::Event& event) {
    if (auto* e = std::get_if<session::StateChanged>(&event))
        emit logged(text(session::stateName(e->state)) + (e->detail.empty() ? QString() : ": " + text(e->detail)));
    if (auto* e = std::get_if<session::Warning>(&event)) {
        emit warned(e->error);
        emit logged(text(e->error.message()));
    }
    if (auto* e = std::get_if<session::Exported>(&event)) {
        emit exported(e->report);
        emit logged(tr("Exported to %1").arg(text(e->report.folder.string())));
    }
    if (auto* e = std::get_if<session::Finished>(&event)) {
        if (e->failed && e->error.code != ErrorCode::Cancelled) {
            emit failed(e->error);
            emit logged(text(e->error.message()));
        }
        emit finished(e->cancelled);
    }
    if (auto* e = std::get_if<session::BestChanged>(&event))
        if (const TaskState* task = data_.task(e->task); task && e->defaultNs > 0)
            emit logged(tr("%1: %2 ms, %3 of its default (trial %4)")
                            .arg(text(task->row.name), text(formatMs(double(e->bestNs))),
                                 text(formatRatio(double(e->defaultNs) / double(e->bestNs))))
                            .arg(e->trial));
    if (auto* e = std::get_if<session::CostModelTrained>(&event))
        emit logged(tr("Cost model v%1: %2 trials, Spearman %3, top-8 recall %4")
                        .arg(e->quality.version)
                        .arg(e->quality.trainedOn)
                        .arg(text(formatDouble(e->quality.spearman, 2)), text(formatDouble(e->quality.topK, 2))));
}

void SessionController::busyError(const char* what) {
    Error error;
    error.what = what;
    error.why = std::string("the session is busy: ") + session::stateName(data_.state);
    error.next = "Stop the current work first, or wait for its end.";
    emit failed(error);
}

void SessionController::profile(int runs, int threads, bool bestSchedules) {
    if (driver_ && !driver_->profile(runs, threads, bestSchedules)) busyError("cannot profile now");
}

void SessionController::tune(const session::TuneOptions& options) {
    if (driver_ && !driver_->tune(options)) busyError("cannot tune now");
}

void SessionController::pauseOrResume() {
    if (!driver_) return;
    if (data_.state == session::State::Paused || data_.state == session::State::Pausing)
        driver_->resumeTuning();
    else
        driver_->pause();
}

void SessionController::stop() {
    if (driver_) driver_->stop();
}

void SessionController::exportTo(const QString& folder, int threads, bool verify) {
    const std::filesystem::path path(folder.toStdU16String());
    if (driver_ && !driver_->exportTo(path, threads, verify)) busyError("cannot export now");
}

void SessionController::tryTrace(int task, const QString& trace) {
    if (driver_ && !driver_->tryTrace(task, trace.toStdString())) busyError("cannot try a schedule now");
}

std::string SessionController::bestTrace(int task) const {
    if (const TaskState* state = data_.task(task)) {
        if (const store::TrialRow* row = data_.trial(state->bestTrial)) return row->trace;
        return state->row.defaultTrace;
    }
    return {};
}

void SessionController::show(int task, const std::string& trace, const std::string& what, QObject* receiver,
                             std::function<void(Result<std::string>)> done) {
    if (!driver_) return;
    auto work = [driver = driver_, task, trace, what] { return driver->show(task, trace, what); };
    runAsync(
        work,
        [this, generation = generation_, done = std::move(done)](Result<std::string> result) {
            if (generation == generation_) done(std::move(result));
        },
        receiver);
}

}  // namespace fettle::ui
