//! A query as it is written: what the formatter reads and prints. Nothing is resolved or rewritten, so that parentheses, parameters
//! and words that mean nothing on one server stay.

#[derive(Clone, Debug)]
pub(super) enum Tree {
    /// Text that needs no parentheses anywhere: a name, a literal, `*`.
    Atom(String),
    /// Parentheses that were written around one expression.
    Parentheses(Box<Tree>),
    /// A tuple or an array: what opens it, the elements, what closes it.
    List(&'static str, Vec<Tree>, &'static str),
    Call(Box<Call>),
    /// `a + b`, `a AND b AND c`
    Infix(String, Vec<Tree>),
    /// `NOT a`, `-a`
    Prefix(&'static str, Box<Tree>),
    /// `a IS NULL`
    Postfix(Box<Tree>, &'static str),
    /// `a[1]`
    Element(Box<Tree>, Box<Tree>),
    /// `a.1`
    Field(Box<Tree>, String),
    Lambda(String, Box<Tree>),
    Alias(Box<Tree>, String),
    Query(Box<Union>),
    /// `* EXCEPT a APPLY f`: the star, and each step's word with what it takes.
    Star(String, Vec<(&'static str, Vec<Tree>, bool)>),
}

#[derive(Clone, Debug, Default)]
pub(super) struct Call {
    pub name: String,
    pub parameters: Option<Vec<Tree>>,
    pub arguments: Vec<Tree>,
    /// `IGNORE NULLS`
    pub nulls: Option<&'static str>,
    pub over: Option<Over>,
}

#[derive(Clone, Debug)]
pub(super) enum Over {
    Named(String),
    Window(Window),
}

#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    pub base: Option<String>,
    pub partition_by: Vec<Tree>,
    pub order_by: Vec<Key>,
    pub frame: Option<String>,
}

#[derive(Clone, Debug)]
pub(super) struct Key {
    pub tree: Tree,
    /// ` DESC NULLS LAST`
    pub direction: String,
    /// FROM, TO, STEP … of WITH FILL.
    pub fill: Option<Vec<(&'static str, Tree)>>,
}

/// SELECTs with the words between them.
#[derive(Clone, Debug, Default)]
pub(super) struct Union {
    pub selects: Vec<Operand>,
    pub operators: Vec<String>,
    /// INTO OUTFILE, FORMAT, SETTINGS behind the whole.
    pub tail: Vec<String>,
}

#[derive(Clone, Debug)]
pub(super) enum Operand {
    Select(Box<Select>),
    Union(Union),
}

#[derive(Clone, Debug, Default)]
pub(super) struct Select {
    pub recursive: bool,
    pub with: Vec<With>,
    pub distinct: bool,
    pub items: Vec<Tree>,
    pub from: Vec<Source>,
    pub prewhere: Option<Tree>,
    pub condition: Option<Tree>,
    pub group_by: Option<GroupBy>,
    pub having: Option<Tree>,
    pub windows: Vec<(String, Window)>,
    pub qualify: Option<Tree>,
    pub order_by: Vec<Key>,
    pub interpolate: Option<Vec<Tree>>,
    /// Offset, length, keys.
    pub limit_by: Option<(Option<Tree>, Tree, Vec<Tree>)>,
    pub offset: Option<Tree>,
    pub limit: Option<Tree>,
    pub with_ties: bool,
    pub settings: Option<String>,
}

#[derive(Clone, Debug)]
pub(super) enum With {
    Value(Tree),
    /// Its name with columns, `AS` with its hint, the query.
    Table(String, &'static str, Union),
}

#[derive(Clone, Debug, Default)]
pub(super) struct GroupBy {
    pub all: bool,
    pub keys: Vec<Tree>,
    pub sets: Option<Vec<Vec<Tree>>>,
    pub modifiers: Vec<&'static str>,
}

/// A table behind FROM, a comma or JOIN; or ARRAY JOIN.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a query has few tables, and the tree lives for a moment")]
pub(super) enum Source {
    Table {
        /// `,`, `ANY LEFT JOIN`; none of the first.
        word: Option<String>,
        table: Tree,
        is_final: bool,
        sample: Option<(Tree, Option<Tree>)>,
        on: Option<Tree>,
        using: Option<Vec<Tree>>,
    },
    ArrayJoin(bool, Vec<Tree>),
}
