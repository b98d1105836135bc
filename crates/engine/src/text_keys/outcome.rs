//! What becomes of the groups of all streams, which the streams decide together: merged where all ended with them in memory, handed over
//! to the exchange as soon as one has no room for its own.

use std::sync::Arc;

use datafusion::common::{DataFusionError, Result};
use parking_lot::Mutex;
use tokio::sync::watch;

use super::groups::Finished;

#[derive(Clone)]
pub enum Decision {
    Merge(Arc<Vec<Finished>>),
    HandOver,
}

pub struct Outcome {
    state: Mutex<State>,
    is_decided: watch::Sender<bool>,
}

struct State {
    /// By stream, from its end on until it is decided.
    finished: Vec<Option<Finished>>,
    decision: Option<std::result::Result<Decision, Arc<DataFusionError>>>,
}

impl Outcome {
    pub fn new(streams: usize) -> Outcome {
        let finished = (0..streams).map(|_| None).collect();
        Outcome { state: Mutex::new(State { finished, decision: None }), is_decided: watch::Sender::new(false) }
    }

    /// Waits for it. Errors: those that a stream ended with before.
    pub async fn decided(&self) -> Result<Decision> {
        // The sender lives as long as `self`.
        let _ = self.is_decided.subscribe().wait_for(|is_decided| *is_decided).await;
        match &self.state.lock().decision {
            Some(Ok(decision)) => Ok(decision.clone()),
            Some(Err(error)) => Err(DataFusionError::Shared(error.clone())),
            None => Err(DataFusionError::Internal("The streams of an aggregation have decided nothing".into())),
        }
    }

    /// A stream has no room for its groups.
    pub fn hand_over(&self) {
        let mut state = self.state.lock();
        if state.decision.is_none() {
            self.decide(&mut state, Ok(Decision::HandOver));
        }
    }

    /// A stream failed. Gives the error back where it is decided already: others have to be told then.
    pub fn fail(&self, error: DataFusionError) -> std::result::Result<(), DataFusionError> {
        let mut state = self.state.lock();
        match state.decision {
            None => {
                self.decide(&mut state, Err(Arc::new(error)));
                Ok(())
            }
            Some(_) => Err(error),
        }
    }

    /// A stream is over; waits for the others. Gives its groups back where they are to be handed over.
    pub async fn put(&self, stream: usize, finished: Finished) -> Option<Finished> {
        {
            let mut state = self.state.lock();
            if let Some(Ok(Decision::HandOver)) = state.decision {
                return Some(finished);
            }
            state.finished[stream] = Some(finished);
            if state.decision.is_none() && state.finished.iter().all(Option::is_some) {
                let all = state.finished.iter_mut().filter_map(Option::take).collect();
                self.decide(&mut state, Ok(Decision::Merge(Arc::new(all))));
            }
        }
        let _ = self.decided().await;
        self.state.lock().finished[stream].take()
    }

    fn decide(&self, state: &mut State, decision: std::result::Result<Decision, Arc<DataFusionError>>) {
        state.decision = Some(decision);
        self.is_decided.send_replace(true);
    }
}
