//! The parts that OPA's configuration (`--config-file`) asks for: bundles that are downloaded, the decision log, and status reports.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use actix_web::rt::task::JoinHandle;
use anyhow::{Context, bail};
use tokio::sync::watch;

use crate::budget::Budget;
use crate::management::bundles::disk::SavedBundle;
use crate::management::bundles::remote::{Origin, Remote};
use crate::management::bundles::signature::{self, Verifier, known_algorithm};
use crate::management::bundles::status::BundleStatuses;
use crate::management::config::{self, OpaConfig};
use crate::management::decision_log::{DecisionLog, FileSink, Options, UploadStatus, Uploader, WhenFull};
use crate::management::plugins::Plugins;
use crate::management::services::Client;
use crate::management::status::Reporter;
use crate::rego::Limits;
use crate::server::Settings;
use crate::server::limits::Sizes;
use crate::server::settings::StatusReport;
use crate::snapshot::Store;

/// The worker of the decision log has this long at the end, and after it the upload as long again.
const LAST_LINES: Duration = Duration::from_secs(5);

/// The configured parts, ready to start.
pub struct Management {
    config: OpaConfig,
    clients: BTreeMap<String, Arc<Client>>,
    reporter: Reporter,
}

/// The tasks that run in the background until [`Tasks::end`].
pub struct Tasks {
    tasks: Vec<JoinHandle<()>>,
    stop: watch::Sender<bool>,
    log: DecisionLog,
}

/// Reads OPA's configuration; without a file, returns OPA's defaults. `id` names this engine in it. Fails when the file cannot be read,
/// or one of its keys cannot verify bundles.
pub fn read(file: Option<&PathBuf>, id: &str) -> anyhow::Result<OpaConfig> {
    let config = match file {
        Some(file) => config::load(file, id),
        None => config::parse("", id),
    };
    let config = config.context("--config-file")?;
    for (id, key) in &config.keys {
        if !known_algorithm(&key.algorithm) {
            bail!("--config-file: `keys.{id}.algorithm`: {} is not known", key.algorithm);
        }
        if key.key.0.is_empty() {
            bail!("--config-file: `keys.{id}.key`: there is none; only a public key or a shared secret verifies bundles");
        }
        if let Err(why) = signature::usable(key) {
            bail!("--config-file: `keys.{id}.key`: {why}");
        }
    }
    Ok(config)
}

impl Management {
    /// Makes the clients of the configured services and opens the decision log. Fails when the configuration of one cannot be used.
    pub fn new(config: OpaConfig, when_full: WhenFull, limits: Limits) -> anyhow::Result<Self> {
        let mut clients = BTreeMap::new();
        for (name, service) in &config.services {
            let client = Client::new(service).with_context(|| format!("--config-file: `services.{name}`"))?;
            clients.insert(name.clone(), Arc::new(client));
        }
        let log = decision_log(&config, when_full, limits)?;
        let reporter = Reporter {
            labels: config.labels.clone(),
            statuses: BundleStatuses::new(config.bundles.keys()),
            bundles: !config.bundles.is_empty(),
            log,
            upload: UploadStatus::default(),
            status: config.status.is_some(),
        };
        Ok(Self { config, clients, reporter })
    }

    /// Returns what the API shows of the configuration and how it limits requests; `authorization`: whether a policy decides on each
    /// request.
    pub fn settings(&self, authorization: bool) -> Settings {
        let OpaConfig { server, default_decision, default_authorization_decision, active, .. } = &self.config;
        let defaults = Settings::default();
        let path = |text: &Option<String>, default: Vec<String>| match text {
            None => default,
            Some(text) => text.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect(),
        };
        let reporter = self.reporter.clone();
        let status = self.config.status.is_some().then(|| StatusReport::new(move || reporter.report()));
        let reporter = self.reporter.clone();
        Settings {
            default_decision: path(default_decision, defaults.default_decision),
            default_authorization_decision: path(default_authorization_decision, defaults.default_authorization_decision),
            authorization,
            gzip_min_length: server.encoding.gzip.min_length,
            gzip_level: server.encoding.gzip.compression_level,
            sizes: Sizes { sent: server.decoding.max_length, unpacked: server.decoding.gzip.max_length },
            active: active.clone(),
            plugins: Plugins::new(move || reporter.plugins()),
            status: status.unwrap_or_default(),
            decision_log: self.reporter.log.clone(),
        }
    }

    /// Returns the verifier for local bundles, which have no `signing` section.
    pub fn verifier(&self) -> Verifier {
        Verifier::new(self.config.keys.clone(), None)
    }

    /// Starts to download bundles and to send logs and status reports. Must be called inside actix' runtime.
    pub fn start(self, store: &Arc<Store>, budget: &Arc<Budget>) -> Tasks {
        let (stop, stopped) = watch::channel(false);
        let log = self.reporter.log.clone();
        let mut tasks: Vec<JoinHandle<()>> = Vec::new();
        for (name, source) in &self.config.bundles {
            let client = || self.clients.get(&source.service).cloned().map(Origin::Service);
            let Some(origin) = Origin::of_file(&source.resource).or_else(client) else { continue };
            let remote = Remote {
                name: name.clone(),
                source: source.clone(),
                origin: Arc::new(origin),
                verifier: Verifier::new(self.config.keys.clone(), source.signing.clone()),
                saved: source.persist.then(|| SavedBundle::new(&self.config.persistence(), name)),
                budget: Arc::clone(budget),
                store: Arc::clone(store),
                statuses: self.reporter.statuses.clone(),
            };
            tasks.push(actix_web::rt::spawn(remote.run(stopped.clone())));
        }
        if let (Some(config), Some(batches)) = (&self.config.decision_logs, log.buffer())
            && let Some(client) = self.clients.get(&config.service)
        {
            let uploader = Uploader::new(batches, Arc::clone(client), config, self.reporter.upload.clone());
            tasks.push(actix_web::rt::spawn(uploader.run(stopped.clone())));
        }
        if let Some(status) = self.config.status.clone() {
            let client = self.clients.get(&status.service).cloned();
            tasks.push(actix_web::rt::spawn(self.reporter.push(status, client, stopped)));
        }
        Tasks { tasks, stop, log }
    }
}

fn decision_log(config: &OpaConfig, when_full: WhenFull, limits: Limits) -> anyhow::Result<DecisionLog> {
    // As in OPA: a section that names no place to log to does nothing.
    let Some(section) =
        config.decision_logs.clone().filter(|logs| logs.console || logs.plugin.is_some() || !logs.service.is_empty())
    else {
        return Ok(DecisionLog::default());
    };
    let file = match (&section.plugin, &config.plugins.file_logger) {
        (Some(_), Some(file)) => {
            let opened = FileSink::open(file.clone());
            Some(opened.with_context(|| format!("--config-file: `plugins.file_logger.path`: {}", file.path.display()))?)
        }
        _ => None,
    };
    let options = Options { config: section, labels: config.labels.clone(), file, when_full, limits };
    DecisionLog::start(options).context("could not start the decision log")
}

impl Tasks {
    /// Writes and sends what the decision log still holds, then ends all tasks.
    pub async fn end(self) {
        let Self { tasks, stop, log } = self;
        // The worker writes into the buffer; the uploader sends what is in it once more.
        if tokio::task::spawn_blocking(move || log.close(LAST_LINES)).await.is_err() {
            tracing::error!("the decision log could not be closed");
        }
        stop.send_replace(true);
        for task in tasks {
            if let Err(died) = task.await {
                tracing::error!(%died, "a task had ended before");
            }
        }
    }
}
