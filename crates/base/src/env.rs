//! The clock, randomness and ids, in one place, so that tests and the simulator can put their own in.

use std::fmt::Debug;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rand::RngCore;

/// What `Env::sleep` gives.
pub type Sleep<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Where time, chance and ids come from.
pub trait Env: Send + Sync + Debug {
    /// Wall-clock time since the Unix epoch.
    fn now(&self) -> Duration;
    /// A clock that never goes back.
    fn instant(&self) -> Instant;
    fn random_u64(&self) -> u64;

    /// Lets time pass.
    fn sleep(&self, time: Duration) -> Sleep<'_> {
        Box::pin(tokio::time::sleep(time))
    }

    fn now_ms(&self) -> u64 {
        self.now().as_millis() as u64
    }

    fn now_micros(&self) -> i64 {
        self.now().as_micros() as i64
    }

    /// A random (version 4) UUID.
    fn uuid(&self) -> uuid::Uuid {
        let random = u128::from(self.random_u64()) << 64 | u128::from(self.random_u64());
        uuid::Builder::from_random_bytes(random.to_be_bytes()).into_uuid()
    }

    /// A UUID that sorts by the time it was made (version 7): names of parts and of inserts.
    fn uuid_by_time(&self) -> uuid::Uuid {
        let mut random = [0u8; 10];
        random[..8].copy_from_slice(&self.random_u64().to_le_bytes());
        random[8..].copy_from_slice(&self.random_u64().to_le_bytes()[..2]);
        uuid::Builder::from_unix_timestamp_millis(self.now_ms(), &random).into_uuid()
    }
}

/// The machine's own clock and randomness.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemEnv;

impl Env for SystemEnv {
    fn now(&self) -> Duration {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
    }

    fn instant(&self) -> Instant {
        Instant::now()
    }

    fn random_u64(&self) -> u64 {
        rand::rng().next_u64()
    }
}

pub fn system_env() -> Arc<dyn Env> {
    Arc::new(SystemEnv)
}
