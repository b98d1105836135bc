//! The posts themselves: batches of 22 columns, the same for the same seed whatever the number of threads.
//!
//! Everything about a post follows from the seed and its id, so that references hold: an id is a question or an answer
//! by a hash of it, and an answer finds its question by walking back to the nearest id that is one.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Builder, RecordBatch, StringBuilder, TimestampMillisecondBuilder};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};
use gristmill_base::Result;

use crate::demo::calendar::{Month, days_from_civil};
use crate::demo::random::{Random, Weighted, mix};
use crate::demo::text::Vocabulary;

/// Accounts that were deleted and left only their name on their posts.
const FORMER_USERS: usize = 20_000;
const USERS: f64 = 2_000_000.0;

/// The statement that makes the table these files load into.
pub const CREATE_TABLE: &str = "CREATE TABLE posts
(
    Id Int32,
    PostTypeId Enum8('Question' = 1, 'Answer' = 2, 'Wiki' = 3, 'TagWikiExcerpt' = 4, 'TagWiki' = 5,
                     'ModeratorNomination' = 6, 'WikiPlaceholder' = 7, 'PrivilegeWiki' = 8),
    AcceptedAnswerId UInt32,
    CreationDate DateTime64(3, 'UTC'),
    Score Int32,
    ViewCount UInt32,
    Body String,
    OwnerUserId Int32,
    OwnerDisplayName String,
    LastEditorUserId Int32,
    LastEditorDisplayName String,
    LastEditDate DateTime64(3, 'UTC'),
    LastActivityDate DateTime64(3, 'UTC'),
    Title String,
    Tags String,
    AnswerCount UInt16,
    CommentCount UInt8,
    FavoriteCount UInt8,
    ContentLicense LowCardinality(String),
    ParentId String,
    CommunityOwnedDate DateTime64(3, 'UTC'),
    ClosedDate DateTime64(3, 'UTC')
)
ENGINE = MergeTree
ORDER BY (PostTypeId, toDate(CreationDate), CreationDate)";

/// The columns as the public Parquet files of the posts have them.
pub fn schema() -> SchemaRef {
    let number = |name: &str| Field::new(name, DataType::Int64, true);
    let text = |name: &str| Field::new(name, DataType::Utf8, true);
    let time = |name: &str| Field::new(name, DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())), true);
    Arc::new(Schema::new(vec![
        number("Id"),
        number("PostTypeId"),
        number("AcceptedAnswerId"),
        time("CreationDate"),
        number("Score"),
        number("ViewCount"),
        text("Body"),
        number("OwnerUserId"),
        text("OwnerDisplayName"),
        number("LastEditorUserId"),
        text("LastEditorDisplayName"),
        time("LastEditDate"),
        time("LastActivityDate"),
        text("Title"),
        text("Tags"),
        number("AnswerCount"),
        number("CommentCount"),
        number("FavoriteCount"),
        text("ContentLicense"),
        text("ParentId"),
        time("CommunityOwnedDate"),
        time("ClosedDate"),
    ]))
}

/// What all threads share.
#[derive(Debug)]
pub struct Posts {
    seed: u64,
    schema: SchemaRef,
    vocabulary: Vocabulary,
    former_users: Weighted,
}

impl Posts {
    pub fn new(seed: u64) -> Self {
        Posts { seed, schema: schema(), vocabulary: Vocabulary::new(), former_users: Weighted::zipf(FORMER_USERS, 0.75) }
    }

    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn is_question(&self, id: u64) -> bool {
        mix(self.seed ^ mix(id)) % 100 < 40
    }

    /// The nearest question before `id`, at a random distance back; `None` where there is none within reach.
    fn question_before(&self, id: u64, random: &mut Random) -> Option<u64> {
        let start = id.saturating_sub(1 + random.long_tail(40.0).min(100_000));
        (start.saturating_sub(64)..=start).rev().find(|&candidate| candidate > 0 && self.is_question(candidate))
    }

    /// Rows `from .. from + rows` of a month, in order of time.
    pub fn batch(&self, month: &Month, from: u64, rows: usize) -> Result<RecordBatch> {
        let first = month.first_id + from;
        let mut random = Random::new(self.seed, first);
        let mut columns = Builders::new(rows);
        let (start_ms, end_ms) = month.span_ms();
        let step_ms = (end_ms - start_ms) as f64 / month.rows as f64;
        for row in 0..rows as u64 {
            let created_ms = start_ms + ((from + row) as f64 * step_ms + random.unit() * step_ms) as i64;
            self.post(first + row, created_ms, &mut random, &mut columns);
        }
        Ok(RecordBatch::try_new(self.schema.clone(), columns.finish())?)
    }

    fn post(&self, id: u64, created_ms: i64, random: &mut Random, columns: &mut Builders) {
        let question = self.is_question(id);
        let parent = if question { None } else { self.question_before(id, random) };
        let post_type = match (question, random.below(2000)) {
            (_, 0) => 5,
            (_, 1) => 4,
            (true, _) => 1,
            (false, _) => 2,
        };
        let ask = post_type == 1;
        columns.id.append_value(id as i64);
        columns.post_type.append_value(post_type);
        columns.accepted_answer.append_value(if ask && random.chance(0.5) {
            (id + 1 + random.below(200)) as i64
        } else {
            0
        });
        columns.created.append_value(created_ms);
        columns.score.append_value(random.long_tail(1.2).min(25_000) as i64 - i64::from(random.chance(0.15)) * 2);
        columns.views.append_value(if ask { random.long_tail(900.0).min(10_000_000) as i64 } else { 0 });

        let target_bytes = 250 + random.long_tail(480.0).min(12_000) as usize;
        columns.scratch.clear();
        self.vocabulary.body(random, target_bytes, &mut columns.scratch);
        columns.body.append_value(&columns.scratch);

        let former = random.below(1000);
        let (owner, name) = match former {
            0..=24 => (0, former_user(self.former_users.draw(random))),
            25..=27 => (0, "anon".to_string()),
            _ => (user(random), String::new()),
        };
        columns.owner.append_value(owner);
        columns.owner_name.append_value(name);

        let edited = random.chance(0.36);
        let edited_ms = created_ms + random.long_tail(7_200_000.0).min(40_000_000_000) as i64;
        let (editor, editor_name) = match (edited, random.below(100)) {
            (false, _) => (0, String::new()),
            (true, 0) => (0, former_user(self.former_users.draw(random))),
            (true, _) => (user(random), String::new()),
        };
        columns.editor.append_value(editor);
        columns.editor_name.append_value(editor_name);
        columns.edited.append_value(if edited { edited_ms } else { 0 });
        columns.active.append_value(if edited { edited_ms } else { created_ms });

        columns.scratch.clear();
        if ask {
            self.vocabulary.title(random, &mut columns.scratch);
        }
        columns.title.append_value(&columns.scratch);
        columns.scratch.clear();
        if ask {
            self.vocabulary.tags(random, &mut columns.scratch);
        }
        columns.tags.append_value(&columns.scratch);
        columns.answers.append_value(if ask { random.long_tail(1.0).min(500) as i64 } else { 0 });
        columns.comments.append_value(random.long_tail(1.0).min(100) as i64);
        columns.favorites.append_value(if ask && random.chance(0.02) { 1 + random.below(40) as i64 } else { 0 });
        columns.license.append_value(license(created_ms));
        columns.parent.append_value(parent.map_or_else(String::new, |parent| parent.to_string()));
        columns.community_owned.append_value(if random.chance(0.006) { created_ms + 3_600_000 } else { 0 });
        columns.closed.append_value(if ask && random.chance(0.05) { created_ms + 86_400_000 } else { 0 });
    }
}

fn former_user(rank: usize) -> String {
    format!("user{}", 100_000 + mix(rank as u64) % 9_000_000)
}

/// Users that came early wrote most.
fn user(random: &mut Random) -> i64 {
    1 + (USERS * random.unit().powi(3)) as i64
}

/// The licence that was in force when a post was made.
fn license(created_ms: i64) -> &'static str {
    let day = created_ms.div_euclid(86_400_000);
    match day {
        _ if day < days_from_civil(2011, 4, 8) => "CC BY-SA 2.5",
        _ if day < days_from_civil(2018, 5, 2) => "CC BY-SA 3.0",
        _ => "CC BY-SA 4.0",
    }
}

/// One builder a column, in the order of `schema`.
struct Builders {
    id: Int64Builder,
    post_type: Int64Builder,
    accepted_answer: Int64Builder,
    created: TimestampMillisecondBuilder,
    score: Int64Builder,
    views: Int64Builder,
    body: StringBuilder,
    owner: Int64Builder,
    owner_name: StringBuilder,
    editor: Int64Builder,
    editor_name: StringBuilder,
    edited: TimestampMillisecondBuilder,
    active: TimestampMillisecondBuilder,
    title: StringBuilder,
    tags: StringBuilder,
    answers: Int64Builder,
    comments: Int64Builder,
    favorites: Int64Builder,
    license: StringBuilder,
    parent: StringBuilder,
    community_owned: TimestampMillisecondBuilder,
    closed: TimestampMillisecondBuilder,
    scratch: String,
}

impl Builders {
    fn new(rows: usize) -> Self {
        let number = || Int64Builder::with_capacity(rows);
        let time = || TimestampMillisecondBuilder::with_capacity(rows).with_timezone("UTC");
        let text = |bytes: usize| StringBuilder::with_capacity(rows, rows * bytes);
        Builders {
            id: number(),
            post_type: number(),
            accepted_answer: number(),
            created: time(),
            score: number(),
            views: number(),
            body: text(1200),
            owner: number(),
            owner_name: text(1),
            editor: number(),
            editor_name: text(1),
            edited: time(),
            active: time(),
            title: text(32),
            tags: text(16),
            answers: number(),
            comments: number(),
            favorites: number(),
            license: text(12),
            parent: text(6),
            community_owned: time(),
            closed: time(),
            scratch: String::with_capacity(16_384),
        }
    }

    fn finish(mut self) -> Vec<ArrayRef> {
        vec![
            Arc::new(self.id.finish()),
            Arc::new(self.post_type.finish()),
            Arc::new(self.accepted_answer.finish()),
            Arc::new(self.created.finish()),
            Arc::new(self.score.finish()),
            Arc::new(self.views.finish()),
            Arc::new(self.body.finish()),
            Arc::new(self.owner.finish()),
            Arc::new(self.owner_name.finish()),
            Arc::new(self.editor.finish()),
            Arc::new(self.editor_name.finish()),
            Arc::new(self.edited.finish()),
            Arc::new(self.active.finish()),
            Arc::new(self.title.finish()),
            Arc::new(self.tags.finish()),
            Arc::new(self.answers.finish()),
            Arc::new(self.comments.finish()),
            Arc::new(self.favorites.finish()),
            Arc::new(self.license.finish()),
            Arc::new(self.parent.finish()),
            Arc::new(self.community_owned.finish()),
            Arc::new(self.closed.finish()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::AsArray;
    use arrow::datatypes::{Int64Type, TimestampMillisecondType};

    use super::*;
    use crate::demo::calendar::months;

    #[test]
    fn posts_are_in_order_of_time_inside_their_month() {
        let month = months(5_000, 3).expect("fits").remove(1);
        let batch = Posts::new(1).batch(&month, 0, month.rows as usize).expect("builds");
        let created = batch.column(3).as_primitive::<TimestampMillisecondType>().values();
        let (start, end) = month.span_ms();
        assert!(created.windows(2).all(|pair| pair[0] <= pair[1]));
        assert!(created.iter().all(|at| (start..end).contains(at)));
    }

    #[test]
    fn answers_name_a_question() {
        let posts = Posts::new(5);
        let month = months(20_000, 1).expect("fits").remove(0);
        let batch = posts.batch(&month, 10_000, 2_000).expect("builds");
        let kinds = batch.column(1).as_primitive::<Int64Type>();
        let parents = batch.column(19).as_string::<i32>();
        let mut answers = 0;
        for row in 0..batch.num_rows() {
            if kinds.value(row) == 2 && !parents.value(row).is_empty() {
                answers += 1;
                assert!(posts.is_question(parents.value(row).parse().expect("an id")));
            }
        }
        assert!(answers > 1_000, "{answers} answers");
    }
}
