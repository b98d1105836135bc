//! `HMAC(algorithm, message, key)`: a digest of a message that only whoever has the key can make.

use SqlType as T;
use gristmill_base::Result;
use gristmill_types::SqlType;
use hmac::digest::core_api::BlockSizeUser;
use hmac::digest::{Digest, FixedOutput};
use hmac::{Mac, SimpleHmac};

use crate::columns::{Bytes, strings};
use crate::define::{arity, bad_argument, constant_bytes, expect_string, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("HMAC", plain(|name, arguments, _| bind(name, arguments)));
    registry.any_case("HMAC");
}

type Code = fn(&[u8], &[u8], &mut Vec<u8>);

fn code<D: Digest + BlockSizeUser + FixedOutput>(message: &[u8], key: &[u8], out: &mut Vec<u8>) {
    // A key of any length is taken.
    if let Ok(mut mac) = <SimpleHmac<D> as Mac>::new_from_slice(key) {
        mac.update(message);
        out.extend_from_slice(&mac.finalize().into_bytes());
    }
}

fn algorithm(name: &str) -> Option<Code> {
    Some(match name {
        "md4" => code::<md4::Md4>,
        "md5" | "ssl3-md5" => code::<md5::Md5>,
        "sha1" | "ssl3-sha1" => code::<sha1::Sha1>,
        "sha224" => code::<sha2::Sha224>,
        "sha256" => code::<sha2::Sha256>,
        "sha384" => code::<sha2::Sha384>,
        "sha512" => code::<sha2::Sha512>,
        "sha512-224" => code::<sha2::Sha512_224>,
        "sha512-256" => code::<sha2::Sha512_256>,
        "sha3-224" => code::<sha3::Sha3_224>,
        "sha3-256" => code::<sha3::Sha3_256>,
        "sha3-384" => code::<sha3::Sha3_384>,
        "sha3-512" => code::<sha3::Sha3_512>,
        "ripemd" | "ripemd160" | "rmd160" => code::<ripemd::Ripemd160>,
        "blake2b512" => code::<blake2::Blake2b512>,
        "blake2s256" => code::<blake2::Blake2s256>,
        _ => return None,
    })
}

fn bind(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 3..=3)?;
    (0..3).try_for_each(|i| expect_string(name, arguments, i))?;
    let named = constant_bytes(&arguments[0]).ok_or_else(|| not_constant(name, 0))?;
    let named = String::from_utf8_lossy(&named).to_ascii_lowercase();
    let code = algorithm(&named).ok_or_else(|| {
        let text = format!(
            "invalid hash algorithm '{named}': use md4, md5, sha1, sha224, sha256, sha384, sha512, sha512-224, sha512-256, \
             sha3-224, sha3-256, sha3-384, sha3-512, ripemd160, blake2b512 or blake2s256"
        );
        bad_argument(name, text)
    })?;
    Ok(Bound::new(T::String, move |args, rows| {
        let (messages, keys) = (Bytes::of(&args[1])?, Bytes::of(&args[2])?);
        strings(rows, |row, out| {
            code(messages.get(row), keys.get(row), out);
            Ok(())
        })
    }))
}
