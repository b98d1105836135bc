//! Who may do what: users, roles, settings profiles, privileges, and how somebody proves to be a user.
//!
//! | Module | |
//! |---|---|
//! | `privilege` | the names of what may be granted, and sets of them |
//! | `rights` | who may do what to which object: a tree of databases, tables and columns |
//! | `grant` | GRANT and REVOKE as values, and as text |
//! | `password` | how a user proves to be one |
//! | `entity` | users, roles and profiles, as they are kept |
//! | `control` | all of them, kept in one object under the data path |
//! | `statements` | the statements that make them again |
//! | `effective` | what a user who came in may do, with the roles that are on |

pub mod control;
pub mod effective;
pub mod entity;
pub mod grant;
pub mod password;
pub mod policy;
pub mod privilege;
pub mod rights;
pub mod statements;

pub use control::AccessControl;
pub use effective::Identity;
pub use privilege::{Level, Privileges};
pub use rights::{Object, Rights};
