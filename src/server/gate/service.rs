//! The gate in front of actix' own service: TLS and HTTP begin behind it.

use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_service::{Service, ServiceFactory};
use futures::future::LocalBoxFuture;
use tokio::time::{sleep, timeout};

use super::{Connection, Gate, Incoming, Phase, Place};

tokio::task_local! {
    /// The connection that is served, for what runs on it.
    pub static CURRENT: Arc<Connection>;
}

/// A service, and as a factory of it, what makes one.
#[derive(Debug)]
pub struct Gated<S> {
    gate: Arc<Gate>,
    /// For the first byte.
    patience: Duration,
    inner: Rc<S>,
}

impl<S> Gated<S> {
    /// Puts the gate in front.
    pub fn new(gate: Arc<Gate>, patience: Duration, inner: S) -> Self {
        Self { gate, patience, inner: Rc::new(inner) }
    }
}

impl<T: Incoming, S> ServiceFactory<T> for Gated<S>
where
    S: ServiceFactory<T, Config = (), Response = ()>,
    S::Service: 'static,
    S::Error: 'static,
    S::Future: 'static,
{
    type Response = ();
    type Error = S::Error;
    type Config = ();
    type Service = Gated<S::Service>;
    type InitError = S::InitError;
    type Future = LocalBoxFuture<'static, Result<Self::Service, Self::InitError>>;

    fn new_service(&self, (): ()) -> Self::Future {
        let (gate, patience, inner) = (Arc::clone(&self.gate), self.patience, self.inner.new_service(()));
        Box::pin(async move { Ok(Gated::new(gate, patience, inner.await?)) })
    }
}

impl<T: Incoming, S> Service<T> for Gated<S>
where
    S: Service<T, Response = ()> + 'static,
    S::Error: 'static,
{
    type Response = ();
    type Error = S::Error;
    type Future = LocalBoxFuture<'static, Result<(), S::Error>>;

    /// Always: the gate bounds what is behind it.
    fn poll_ready(&self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&self, stream: T) -> Self::Future {
        let (gate, patience, inner) = (Arc::clone(&self.gate), self.patience, Rc::clone(&self.inner));
        Box::pin(async move {
            let Some(place) = gate.enter(stream.peer()) else { return Ok(()) };
            tokio::select! {
                biased;
                () = place.connection().evicted() => Ok(()),
                served = serve(&place, patience, &*inner, stream) => served,
            }
        })
    }
}

/// A connection costs nothing but its place before it speaks.
async fn serve<T: Incoming, S>(place: &Place, patience: Duration, inner: &S, stream: T) -> Result<(), S::Error>
where
    S: Service<T, Response = ()>,
{
    if timeout(patience, stream.spoken()).await.is_err() {
        return Ok(());
    }
    let Some(wait) = place.pace() else { return Ok(()) };
    if !wait.is_zero() {
        sleep(wait).await;
    }
    place.connection().turn(Phase::Opening);
    CURRENT.scope(Arc::clone(place.connection()), inner.call(stream)).await
}
