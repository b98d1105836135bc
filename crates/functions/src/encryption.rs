//! AES and HMAC: `encrypt`, `decrypt`, `tryDecrypt`, `aes_encrypt_mysql`, `aes_decrypt_mysql`, `HMAC`.
//!
//! The block cipher and GCM's hash are crates of RustCrypto. The modes stand here, a few lines each over one block: as crates they
//! would be a type for every pair of mode and key size, and GCM's would take nonces of one length only.
//!
//! MySQL's form differs in its key, of which bytes beyond the cipher's length are folded back over its beginning, and in an IV
//! that may be longer than needed.

use SqlType as T;
use aes::cipher::generic_array::GenericArray;
use aes::cipher::{BlockDecrypt, BlockEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256};
use arrow::array::{Array, ArrayRef, make_array};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use ghash::GHash;
use ghash::universal_hash::UniversalHash;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::columns::{Bytes, strings};
use crate::define::{bad_argument, constant_bytes, expect_string, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

const OPENSSL_ERROR: ErrorCode = ErrorCode(454);

const BLOCK: usize = 16;

pub fn register(registry: &mut Registry) {
    for (name, dialect, way) in [
        ("encrypt", Dialect::Own, Way::Encrypt),
        ("decrypt", Dialect::Own, Way::Decrypt),
        ("tryDecrypt", Dialect::Own, Way::TryDecrypt),
        ("aes_encrypt_mysql", Dialect::MySql, Way::Encrypt),
        ("aes_decrypt_mysql", Dialect::MySql, Way::Decrypt),
    ] {
        registry.scalar(name, plain(move |name, arguments, _| bind(name, arguments, dialect, way)));
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Own,
    MySql,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Encrypt,
    Decrypt,
    /// NULL for what cannot be decrypted.
    TryDecrypt,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Ecb,
    Cbc,
    /// Feedback of so many bits.
    Cfb(usize),
    Ofb,
    Ctr,
    Gcm,
}

impl Mode {
    /// Whether texts are filled up to whole blocks.
    fn pads(self) -> bool {
        matches!(self, Mode::Ecb | Mode::Cbc)
    }

    /// Length of the initialization vector; GCM takes any.
    fn iv_bytes(self) -> usize {
        match self {
            Mode::Ecb => 0,
            Mode::Gcm => 12,
            _ => BLOCK,
        }
    }
}

/// `aes-256-cbc` as bytes of the key and mode.
fn parsed(name: &str, written: &str, dialect: Dialect) -> Result<(usize, Mode)> {
    let invalid = || bad_argument(name, format!("invalid mode '{written}': it must be like 'aes-256-cbc'"));
    let (bits, mode) = written.strip_prefix("aes-").and_then(|rest| rest.split_once('-')).ok_or_else(invalid)?;
    let key_bytes = match bits {
        "128" => 16,
        "192" => 24,
        "256" => 32,
        _ => return Err(invalid()),
    };
    let unsupported = || bad_argument(name, format!("unsupported cipher mode '{written}'"));
    let mode = match mode {
        "ecb" => Mode::Ecb,
        "cbc" => Mode::Cbc,
        "cfb" => Mode::Cfb(128),
        "cfb8" => Mode::Cfb(8),
        "cfb1" => Mode::Cfb(1),
        "ofb" => Mode::Ofb,
        "ctr" if dialect == Dialect::Own => Mode::Ctr,
        "gcm" if dialect == Dialect::Own => Mode::Gcm,
        "ctr" | "gcm" | "ccm" | "xts" | "ocb" | "wrap" | "siv" => return Err(unsupported()),
        _ => return Err(invalid()),
    };
    Ok((key_bytes, mode))
}

fn bind(name: &str, arguments: &[Argument], dialect: Dialect, way: Way) -> Result<Bound> {
    let most = if dialect == Dialect::Own { 5 } else { 4 };
    if !(3..=most).contains(&arguments.len()) {
        let text = format!("Function {name} takes 3 to {most} arguments, not {}", arguments.len());
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    }
    (0..arguments.len()).try_for_each(|i| expect_string(name, arguments, i))?;
    let written = constant_bytes(&arguments[0]).ok_or_else(|| not_constant(name, 0))?;
    let (key_bytes, mode) = parsed(name, &String::from_utf8_lossy(&written), dialect)?;
    if dialect == Dialect::Own && arguments.len() > 3 && mode.iv_bytes() == 0 {
        return Err(bad_argument(name, "the mode does not support an initialization vector"));
    }
    if arguments.len() > 4 && mode != Mode::Gcm {
        return Err(bad_argument(name, "additional data can be given in GCM mode only"));
    }
    let result = if way == Way::TryDecrypt { T::String.nullable() } else { T::String };
    let name = name.to_string();
    Ok(Bound::new(result, move |args, rows| {
        let (texts, keys) = (Bytes::of(&args[1])?, Bytes::of(&args[2])?);
        let ivs = args.get(3).map(Bytes::of).transpose()?;
        let extras = args.get(4).map(Bytes::of).transpose()?;
        let mut valid = vec![true; rows];
        let made = strings(rows, |row, out| {
            let (text, key) = (texts.get(row), keys.get(row));
            let iv = ivs.as_ref().map_or(b"".as_slice(), |ivs| ivs.get(row));
            let extra = extras.as_ref().map_or(b"".as_slice(), |extras| extras.get(row));
            let key = checked_key(&name, key, key_bytes, dialect)?;
            // What is empty is empty in either form, but where blocks are filled up or a tag is added.
            if text.is_empty() && (way != Way::Encrypt || !(mode.pads() || mode == Mode::Gcm)) {
                return Ok(());
            }
            let iv = checked_iv(&name, iv, mode, dialect)?;
            let aes = Aes::new(&key);
            match way {
                Way::Encrypt => encrypt(&aes, mode, iv, extra, text, out),
                Way::Decrypt => decrypt(&name, &aes, mode, iv, extra, text, out)?,
                Way::TryDecrypt => match decrypt(&name, &aes, mode, iv, extra, text, out) {
                    Ok(()) => {}
                    Err(error) if error.code() == OPENSSL_ERROR => {
                        out.clear();
                        valid[row] = false;
                    }
                    Err(error) => return Err(error),
                },
            }
            Ok(())
        })?;
        if way != Way::TryDecrypt {
            return Ok(made);
        }
        let nulls = NullBuffer::new(BooleanBuffer::from_iter(valid));
        Ok(make_array(made.to_data().into_builder().nulls(Some(nulls)).build()?) as ArrayRef)
    }))
}

fn checked_key(name: &str, key: &[u8], bytes: usize, dialect: Dialect) -> Result<Vec<u8>> {
    if key.len() < bytes || (dialect == Dialect::Own && key.len() != bytes) {
        return Err(bad_argument(name, format!("invalid key size: {} bytes, expected {bytes}", key.len())));
    }
    let (head, rest) = key.split_at(bytes);
    let mut folded = head.to_vec();
    for (i, byte) in rest.iter().enumerate() {
        folded[i % bytes] ^= byte;
    }
    Ok(folded)
}

/// The vector as the mode takes it; one that is not given is of zeros.
fn checked_iv<'a>(name: &str, iv: &'a [u8], mode: Mode, dialect: Dialect) -> Result<&'a [u8]> {
    const ZEROS: &[u8] = &[0; BLOCK];
    let bytes = mode.iv_bytes();
    if mode == Mode::Gcm && iv.is_empty() {
        return Err(bad_argument(name, format!("invalid IV size: 0 bytes, expected {bytes}")));
    }
    if mode == Mode::Gcm {
        return Ok(iv);
    }
    if iv.is_empty() || bytes == 0 {
        return Ok(&ZEROS[..bytes]);
    }
    if iv.len() < bytes || (dialect == Dialect::Own && iv.len() != bytes) {
        return Err(bad_argument(name, format!("invalid IV size: {} bytes, expected {bytes}", iv.len())));
    }
    Ok(&iv[..bytes])
}

type Block = [u8; BLOCK];

/// The block cipher, by the length of its key.
enum Aes {
    Of128(Box<Aes128>),
    Of192(Box<Aes192>),
    Of256(Box<Aes256>),
}

impl Aes {
    /// `key` has 16, 24 or 32 bytes.
    fn new(key: &[u8]) -> Aes {
        match key.len() {
            16 => Aes::Of128(Box::new(Aes128::new(GenericArray::from_slice(key)))),
            24 => Aes::Of192(Box::new(Aes192::new(GenericArray::from_slice(key)))),
            _ => Aes::Of256(Box::new(Aes256::new(GenericArray::from_slice(key)))),
        }
    }

    fn encrypt(&self, block: Block) -> Block {
        let mut block = GenericArray::from(block);
        match self {
            Aes::Of128(aes) => aes.encrypt_block(&mut block),
            Aes::Of192(aes) => aes.encrypt_block(&mut block),
            Aes::Of256(aes) => aes.encrypt_block(&mut block),
        }
        block.into()
    }

    fn decrypt(&self, block: Block) -> Block {
        let mut block = GenericArray::from(block);
        match self {
            Aes::Of128(aes) => aes.decrypt_block(&mut block),
            Aes::Of192(aes) => aes.decrypt_block(&mut block),
            Aes::Of256(aes) => aes.decrypt_block(&mut block),
        }
        block.into()
    }
}

fn xor(a: Block, b: Block) -> Block {
    std::array::from_fn(|i| a[i] ^ b[i])
}

/// At most one block, filled with zeros.
fn block(bytes: &[u8]) -> Block {
    let mut block = [0; BLOCK];
    block[..bytes.len()].copy_from_slice(bytes);
    block
}

fn encrypt(aes: &Aes, mode: Mode, iv: &[u8], extra: &[u8], text: &[u8], out: &mut Vec<u8>) {
    match mode {
        Mode::Ecb | Mode::Cbc => {
            let fill = BLOCK - text.len() % BLOCK;
            let mut padded = text.to_vec();
            padded.extend(std::iter::repeat_n(fill as u8, fill));
            let mut last = block(iv);
            for plain in padded.as_chunks::<BLOCK>().0 {
                let made = aes.encrypt(if mode == Mode::Cbc { xor(*plain, last) } else { *plain });
                out.extend_from_slice(&made);
                last = made;
            }
        }
        Mode::Gcm => {
            let counter = gcm_counter(aes, iv);
            let start = out.len();
            ctr(aes, next_32(counter), next_32, text, out);
            let tag = gcm_tag(aes, counter, extra, &out[start..]);
            out.extend_from_slice(&tag);
        }
        stream => streamed(aes, stream, block(iv), text, true, out),
    }
}

fn decrypt(name: &str, aes: &Aes, mode: Mode, iv: &[u8], extra: &[u8], text: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let failed = |what: &str| Error::new(OPENSSL_ERROR, format!("Function {name} cannot decrypt: {what}"));
    match mode {
        Mode::Ecb | Mode::Cbc => {
            let (blocks, rest) = text.as_chunks::<BLOCK>();
            if !rest.is_empty() {
                let what = format!("the size {} of the data is not a multiple of {BLOCK} bytes", text.len());
                return Err(failed(&what));
            }
            let mut last = block(iv);
            for made in blocks {
                let plain = aes.decrypt(*made);
                out.extend_from_slice(&if mode == Mode::Cbc { xor(plain, last) } else { plain });
                last = *made;
            }
            let fill = out.last().map_or(0, |last| usize::from(*last));
            let padded = (1..=BLOCK).contains(&fill) && out.iter().rev().take(fill).all(|byte| usize::from(*byte) == fill);
            if !padded {
                return Err(failed("invalid padding: key, IV or data are wrong"));
            }
            out.truncate(out.len() - fill);
        }
        Mode::Gcm => {
            let Some((body, tag)) = text.split_last_chunk::<BLOCK>() else {
                return Err(bad_argument(name, format!("the data is smaller than its tag of {BLOCK} bytes")));
            };
            let counter = gcm_counter(aes, iv);
            let expected = gcm_tag(aes, counter, extra, body);
            // All bytes are looked at, so that the time tells nothing of the tag.
            if expected.iter().zip(tag).fold(0, |differences, (a, b)| differences | (a ^ b)) != 0 {
                return Err(failed("the tag does not fit: key, IV, additional data or data are wrong"));
            }
            ctr(aes, next_32(counter), next_32, body, out);
        }
        stream => streamed(aes, stream, block(iv), text, false, out),
    }
    Ok(())
}

/// The modes that make a stream of bits that the text is added to.
fn streamed(aes: &Aes, mode: Mode, iv: Block, text: &[u8], encrypts: bool, out: &mut Vec<u8>) {
    match mode {
        Mode::Ctr => ctr(aes, iv, |counter| u128::from_be_bytes(counter).wrapping_add(1).to_be_bytes(), text, out),
        Mode::Ofb => {
            let mut stream = iv;
            for part in text.chunks(BLOCK) {
                stream = aes.encrypt(stream);
                out.extend(part.iter().zip(stream).map(|(byte, key)| byte ^ key));
            }
        }
        Mode::Cfb(8) => {
            let mut register = iv;
            for byte in text {
                let made = byte ^ aes.encrypt(register)[0];
                register.rotate_left(1);
                register[BLOCK - 1] = if encrypts { made } else { *byte };
                out.push(made);
            }
        }
        Mode::Cfb(1) => {
            let mut register = u128::from_be_bytes(iv);
            for byte in text {
                let made = (0..8).rev().fold(0, |made, bit| {
                    let given = byte >> bit & 1;
                    let new = given ^ aes.encrypt(register.to_be_bytes())[0] >> 7;
                    register = register << 1 | u128::from(if encrypts { new } else { given });
                    made << 1 | new
                });
                out.push(made);
            }
        }
        _ => {
            let mut register = iv;
            for part in text.chunks(BLOCK) {
                let start = out.len();
                let stream = aes.encrypt(register);
                out.extend(part.iter().zip(stream).map(|(byte, key)| byte ^ key));
                register = block(if encrypts { &out[start..] } else { part });
            }
        }
    }
}

fn ctr(aes: &Aes, first: Block, next: impl Fn(Block) -> Block, text: &[u8], out: &mut Vec<u8>) {
    let mut counter = first;
    for part in text.chunks(BLOCK) {
        let stream = aes.encrypt(counter);
        out.extend(part.iter().zip(stream).map(|(byte, key)| byte ^ key));
        counter = next(counter);
    }
}

/// GCM counts in the last 32 bits.
fn next_32(mut counter: Block) -> Block {
    let mut low = [0; 4];
    low.copy_from_slice(&counter[12..]);
    counter[12..].copy_from_slice(&u32::from_be_bytes(low).wrapping_add(1).to_be_bytes());
    counter
}

fn ghash(aes: &Aes, parts: &[&[u8]], lengths: [u64; 2]) -> Block {
    let mut hash = GHash::new(GenericArray::from_slice(&aes.encrypt([0; BLOCK])));
    parts.iter().for_each(|part| hash.update_padded(part));
    let bits = [lengths[0].wrapping_mul(8).to_be_bytes(), lengths[1].wrapping_mul(8).to_be_bytes()].concat();
    hash.update_padded(&bits);
    hash.finalize().into()
}

/// The first counter: an IV of 12 bytes with a 1 behind it, the hash of any other.
fn gcm_counter(aes: &Aes, iv: &[u8]) -> Block {
    if iv.len() == 12 {
        let mut counter = block(iv);
        counter[BLOCK - 1] = 1;
        return counter;
    }
    ghash(aes, &[iv], [0, iv.len() as u64])
}

fn gcm_tag(aes: &Aes, counter: Block, extra: &[u8], made: &[u8]) -> Block {
    xor(ghash(aes, &[extra, made], [extra.len() as u64, made.len() as u64]), aes.encrypt(counter))
}
