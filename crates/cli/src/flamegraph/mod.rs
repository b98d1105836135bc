//! `gristmill flamegraph`: the samples of a query as a graph, each function as wide as its share. The graph is an SVG that a
//! browser shows, with a search and a zoom in it.

pub mod arguments;
mod source;
mod svg;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_client::Client;
use gristmill_engine::{EngineConfig, Session};
use gristmill_introspect::custom;

use crate::arguments::{Given, bad};
use crate::bootstrap;
use crate::client::session_options;
use crate::flamegraph::arguments::{FlamegraphArguments, Samples};
use crate::flamegraph::source::Source;
use crate::flamegraph::svg::Look;

/// Runs the command, and gives its exit code.
pub async fn run(arguments: FlamegraphArguments, given: Given) -> Result<ExitCode> {
    custom::begin_with(vec![custom::DEFAULT_PREFIX.to_string()]);
    if !arguments.collapsed && std::io::stdout().is_terminal() {
        return Err(bad(
            "The graph is an SVG: have it written into a file, as in gristmill flamegraph QUERY_ID > query.svg",
        ));
    }
    let mut source = source(&arguments, given).await?;
    let stacks = source.stacks(&arguments.query_id, arguments.samples).await;
    if let Source::Folder(engine, session) = source {
        drop(session);
        engine.shutdown().await;
    }
    let stacks = stacks?;
    let out = if arguments.collapsed { collapsed(&stacks) } else { graph(&arguments, &stacks)? };
    match std::io::stdout().write_all(&out) {
        // A reader that went away, as `head` does, has what it wanted.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let text = format!("Cannot write to standard output: {error}");
            Err(Error::new(ErrorCode::CANNOT_WRITE_TO_FILE_DESCRIPTOR, text))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

async fn source(arguments: &FlamegraphArguments, given: Given) -> Result<Source> {
    if arguments.path.is_none() {
        let options = session_options(&arguments.login, arguments.host.clone(), arguments.port, None, given)?;
        return Ok(Source::Server(Box::new(Client::new(options))));
    }
    let data_path = arguments.path.clone();
    let config = EngineConfig {
        data_path,
        uncompressed_cache_size: None,
        query_condition_cache_size: None,
        user_files_path: None,
        calibration_path: None,
    };
    let engine = bootstrap::open_engine(config, None).await?;
    let session = Session::new(engine.clone());
    Ok(Source::Folder(engine, Box::new(session)))
}

fn collapsed(stacks: &[String]) -> Vec<u8> {
    stacks.iter().flat_map(|line| [line.as_bytes(), b"\n"]).flatten().copied().collect()
}

fn graph(arguments: &FlamegraphArguments, stacks: &[String]) -> Result<Vec<u8>> {
    let (what, unit, is_memory) = match arguments.samples {
        Samples::Cpu => ("CPU", "samples", false),
        Samples::Real => ("time by the clock", "samples", false),
        Samples::Memory => ("memory, where the query held more than before", "bytes", true),
        Samples::MemorySample => ("allocations by chance", "bytes", true),
    };
    let title = arguments.title.clone().unwrap_or_else(|| format!("Query {}: {what}", arguments.query_id));
    Ok(svg::graph(stacks, &Look { title: &title, unit, is_memory })?.into_bytes())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    #[command(disable_help_flag = true)]
    struct Line {
        #[command(flatten)]
        arguments: FlamegraphArguments,
    }

    #[test]
    fn stacks_become_a_graph() {
        let line = Line::try_parse_from(["flamegraph", "a<b", "--type", "Memory"]).expect("reads");
        let stacks = ["main;[u8, 8]::sort 10".to_string(), "main;Vec<u8>::grow 30".to_string()];
        let svg = String::from_utf8(graph(&line.arguments, &stacks).expect("a graph")).expect("text");
        assert!(svg.starts_with("<?xml") && svg.trim_end().ends_with("</svg>"), "{svg}");
        assert!(svg.contains("a&lt;b") && svg.contains("Vec&lt;u8&gt;::grow (30 bytes, 75.00%)"), "{svg}");
        assert_eq!(collapsed(&stacks), b"main;[u8, 8]::sort 10\nmain;Vec<u8>::grow 30\n");
    }
}
