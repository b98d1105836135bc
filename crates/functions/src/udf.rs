//! A bound function as a DataFusion expression.
