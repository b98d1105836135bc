//! IP and MAC addresses: their numbers and texts, ranges of them, and whether one lies in a range.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, FixedSizeBinaryArray, PrimitiveArray, StructArray, UInt32Array};
use arrow::buffer::{Buffer, NullBuffer};
use arrow::datatypes::{DataType, Int64Type, UInt8Type, UInt32Type, UInt64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::scan::Fault;
use gristmill_types::scan::address::{ipv4, ipv6};

use crate::columns::{Bytes, Numbers, at, numbers, strings};
use crate::define::{arity, bad_argument, constant_integer, expect_integer, expect_string, illegal, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};
use crate::strings::text_predicate;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Failing {
    Throws,
    Null,
    Zero,
}

const FORMS: [(&str, Failing); 3] = [("", Failing::Throws), ("OrNull", Failing::Null), ("OrDefault", Failing::Zero)];

pub fn register(registry: &mut Registry) {
    registry.scalar("IPv4NumToString", plain(|name, arguments, _| v4_text(name, arguments, false)));
    registry.scalar("IPv4NumToStringClassC", plain(|name, arguments, _| v4_text(name, arguments, true)));
    registry.scalar("IPv6NumToString", plain(|name, arguments, _| v6_text(name, arguments)));
    for (suffix, failing) in FORMS {
        registry.scalar(
            &format!("IPv4StringToNum{suffix}"),
            plain(move |name, arguments, env| v4_number(name, arguments, of_setting(failing, env))),
        );
        registry.scalar(
            &format!("IPv6StringToNum{suffix}"),
            plain(move |name, arguments, env| v6_number(name, arguments, of_setting(failing, env))),
        );
    }
    registry.scalar("isIPv4String", text_predicate(|text| ipv4(text).is_ok() && !has_octal(text)));
    registry.scalar("isIPv6String", text_predicate(|text| ipv4(text).is_err() && ipv6(text).is_ok()));
    registry.scalar(
        "IPv4ToIPv6",
        plain(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            expect_v4(name, arguments)?;
            Ok(Bound::cast(vec![T::UInt32], T::IPv6, |args, _| {
                let values = args[0].as_primitive::<UInt32Type>().values();
                sixteen(values.iter().map(|value| Ipv4Addr::from_bits(*value).to_ipv6_mapped().octets()), None)
            }))
        }),
    );
    registry.scalar("IPv4CIDRToRange", plain(|name, arguments, _| v4_range(name, arguments)));
    registry.scalar("cutIPv6", plain(|name, arguments, _| cut_v6(name, arguments)));
    registry.scalar("IPv6CIDRToRange", plain(|name, arguments, _| v6_range(name, arguments)));
    registry.scalar("isIPAddressInRange", plain(|name, arguments, _| in_range(name, arguments)));
    registry.scalar(
        "MACNumToString",
        plain(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            expect_integer(name, arguments, 0)?;
            Ok(Bound::cast(vec![T::UInt64], T::String, |args, rows| {
                let values = Numbers::of::<UInt64Type>(&args[0])?;
                strings(rows, |row, out| {
                    let bytes = values.get(row).to_be_bytes();
                    out.extend(
                        bytes[2..].iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":").into_bytes(),
                    );
                    Ok(())
                })
            }))
        }),
    );
    registry.scalar("MACStringToNum", plain(|name, arguments, _| mac(name, arguments, 17)));
    registry.scalar("MACStringToOUI", plain(|name, arguments, _| mac(name, arguments, 8)));
    for (alias, name) in [
        ("INET_NTOA", "IPv4NumToString"),
        ("INET_ATON", "IPv4StringToNum"),
        ("INET6_NTOA", "IPv6NumToString"),
        ("INET6_ATON", "IPv6StringToNum"),
    ] {
        registry.alias(alias, name);
        registry.any_case(alias);
    }
}

fn expect_v4(name: &str, arguments: &[Argument]) -> Result<()> {
    if matches!(arguments[0].kind, T::Bool | T::UInt8 | T::UInt16 | T::UInt32 | T::UInt64 | T::IPv4) {
        return Ok(());
    }
    Err(illegal(name, arguments, 0, "IPv4 or an unsigned integer"))
}

fn v4_text(name: &str, arguments: &[Argument], class_c: bool) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_v4(name, arguments)?;
    Ok(Bound::cast(vec![T::UInt32], T::String, move |args, rows| {
        let values = Numbers::of::<UInt32Type>(&args[0])?;
        strings(rows, |row, out| {
            let [a, b, c, d] = values.get(row).to_be_bytes();
            out.extend(if class_c { format!("{a}.{b}.{c}.xxx") } else { format!("{a}.{b}.{c}.{d}") }.into_bytes());
            Ok(())
        })
    }))
}

fn v6_text(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    if !matches!(arguments[0].kind, T::IPv6 | T::FixedString(16) | T::String) {
        return Err(illegal(name, arguments, 0, "IPv6 or FixedString(16)"));
    }
    let name = name.to_string();
    Ok(Bound::new(T::String, move |args, rows| {
        let values = Bytes::of(&args[0])?;
        strings(rows, |row, out| {
            let bytes: [u8; 16] = values
                .get(row)
                .try_into()
                .map_err(|_| bad_argument(&name, format!("an address has 16 bytes, not {}", values.get(row).len())))?;
            out.extend(Ipv6Addr::from(bytes).to_string().into_bytes());
            Ok(())
        })
    }))
}

/// `cast_ipv4_ipv6_default_on_conversion_error` takes the error away.
fn of_setting(failing: Failing, env: &FunctionEnv) -> Failing {
    match failing {
        Failing::Throws if env.addresses.converted => Failing::Zero,
        other => other,
    }
}

const OCTAL: Fault = Fault::new(ErrorCode::CANNOT_PARSE_IPV4, "a number of the address begins with zero");

/// Whether a number of an address begins with zero, by which some mean octal numbers.
fn has_octal(text: &[u8]) -> bool {
    text.split(|c| *c == b'.').any(|part| part.len() > 1 && part.starts_with(b"0"))
}

fn v4_number(name: &str, arguments: &[Argument], failing: Failing) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_string(name, arguments, 0)?;
    let result = if failing == Failing::Null { T::UInt32.nullable() } else { T::UInt32 };
    Ok(Bound::new(result, move |args, _| {
        let texts = Bytes::of(&args[0])?;
        let values: UInt32Array = (0..texts.len())
            .map(|row| match (ipv4(texts.get(row)), failing) {
                (Ok(value), _) if !has_octal(texts.get(row)) => Ok(Some(value)),
                (_, Failing::Null) => Ok(None),
                (_, Failing::Zero) => Ok(Some(0)),
                (Ok(_), Failing::Throws) => Err(OCTAL.explain(texts.get(row), &T::IPv4)),
                (Err(fault), Failing::Throws) => Err(fault.explain(texts.get(row), &T::IPv4)),
            })
            .collect::<Result<_>>()?;
        let nulls = values.nulls().cloned().filter(|nulls| nulls.null_count() > 0);
        Ok(Arc::new(PrimitiveArray::<UInt32Type>::new(values.values().clone(), nulls)) as ArrayRef)
    }))
}

fn sixteen(values: impl Iterator<Item = [u8; 16]>, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    let bytes: Vec<u8> = values.flatten().collect();
    Ok(Arc::new(FixedSizeBinaryArray::try_new(16, Buffer::from_vec(bytes), nulls)?))
}

fn v6_number(name: &str, arguments: &[Argument], failing: Failing) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_string(name, arguments, 0)?;
    let result = if failing == Failing::Null { T::FixedString(16).nullable() } else { T::FixedString(16) };
    Ok(Bound::new(result, move |args, _| {
        let texts = Bytes::of(&args[0])?;
        let found = (0..texts.len()).map(|row| match (ipv6(texts.get(row)), failing) {
            (Err(fault), Failing::Throws) => Err(fault.explain(texts.get(row), &T::IPv6)),
            (found, _) => Ok(found.ok()),
        });
        let found: Vec<Option<[u8; 16]>> = found.collect::<Result<_>>()?;
        let valid: Vec<bool> = found.iter().map(|value| value.is_some() || failing != Failing::Null).collect();
        sixteen(
            found.into_iter().map(Option::unwrap_or_default),
            Some(NullBuffer::from(valid)).filter(|nulls| nulls.null_count() > 0),
        )
    }))
}

fn pair(kind: SqlType, low: ArrayRef, high: ArrayRef) -> Result<ArrayRef> {
    let DataType::Struct(fields) = kind.arrow() else { return Err(Error::logical("A tuple is carried as a struct")) };
    Ok(Arc::new(StructArray::try_new(fields, vec![low, high], None)?))
}

fn v4_range(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_v4(name, arguments)?;
    expect_integer(name, arguments, 1)?;
    let result = T::Tuple(vec![(None, T::IPv4), (None, T::IPv4)]);
    let kind = result.clone();
    Ok(Bound::cast(vec![T::UInt32, T::Int64], result, move |args, rows| {
        let (values, bits) = (Numbers::of::<UInt32Type>(&args[0])?, Numbers::of::<Int64Type>(&args[1])?);
        let mask = |row: usize| u32::MAX.checked_shl(32 - bits.get(row).clamp(0, 32) as u32).unwrap_or(0);
        let low = numbers::<UInt32Type>(rows, |row| Ok(values.get(row) & mask(row)))?;
        let high = numbers::<UInt32Type>(rows, |row| Ok(values.get(row) | !mask(row)))?;
        pair(kind.clone(), low, high)
    }))
}

/// An IPv6 as text with its last bytes zero: so many of an address of its own, and so many of one that holds an IPv4.
fn cut_v6(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 3..=3)?;
    if !matches!(arguments[0].kind, T::IPv6 | T::FixedString(16)) {
        return Err(illegal(name, arguments, 0, "IPv6 or FixedString(16)"));
    }
    let mut cut = [0_usize; 2];
    for (cut, i) in cut.iter_mut().zip(1..) {
        expect_integer(name, arguments, i)?;
        let bytes = constant_integer(&arguments[i]).ok_or_else(|| not_constant(name, i))?;
        *cut = usize::try_from(bytes)
            .ok()
            .filter(|bytes| *bytes <= 16)
            .ok_or_else(|| illegal(name, arguments, i, "a number of bytes up to 16"))?;
    }
    Ok(Bound::new(T::String, move |args, rows| {
        let values = args[0].as_fixed_size_binary();
        let cut_bytes = (0..rows).map(|row| {
            let mut bytes = <[u8; 16]>::try_from(values.value(at(values.len(), row))).unwrap_or_default();
            let holds_v4 = bytes[..10] == [0; 10] && bytes[10..12] == [0xFF; 2];
            bytes[16 - cut[usize::from(holds_v4)]..].fill(0);
            bytes
        });
        gristmill_types::cast::cast(&sixteen(cut_bytes, None)?, &T::IPv6, &T::String, &Default::default())
    }))
}

fn v6_range(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    if !matches!(arguments[0].kind, T::IPv6 | T::FixedString(16)) {
        return Err(illegal(name, arguments, 0, "IPv6"));
    }
    expect_integer(name, arguments, 1)?;
    let result = T::Tuple(vec![(None, T::IPv6), (None, T::IPv6)]);
    let kind = result.clone();
    Ok(Bound::cast(vec![arguments[0].kind.clone(), T::Int64], result, move |args, rows| {
        let (values, bits) = (args[0].as_fixed_size_binary(), Numbers::of::<Int64Type>(&args[1])?);
        let value = |row: usize| <[u8; 16]>::try_from(values.value(at(values.len(), row))).map_or(0, u128::from_be_bytes);
        let mask = |row: usize| u128::MAX.checked_shl(128 - bits.get(row).clamp(0, 128) as u32).unwrap_or(0);
        let low = sixteen((0..rows).map(|row| (value(row) & mask(row)).to_be_bytes()), None)?;
        let high = sixteen((0..rows).map(|row| (value(row) | !mask(row)).to_be_bytes()), None)?;
        pair(kind.clone(), low, high)
    }))
}

/// Whether an address lies in `address/bits`.
fn in_range(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let kind = arguments[0].kind.clone();
    if !matches!(kind, T::IPv4 | T::IPv6) {
        expect_string(name, arguments, 0)?;
    }
    expect_string(name, arguments, 1)?;
    Ok(Bound::new(T::UInt8, move |args, rows| {
        let ranges = Bytes::of(&args[1])?;
        match kind {
            T::IPv4 => {
                let addresses = Numbers::of::<UInt32Type>(&args[0])?;
                numbers::<UInt8Type>(rows, |row| {
                    let address = u128::from(addresses.get(row)) | 0xFFFF_0000_0000;
                    AddressRange::parse(ranges.get(row)).map(|range| u8::from(range.holds(address, true)))
                })
            }
            T::IPv6 => {
                let addresses = args[0].as_fixed_size_binary();
                numbers::<UInt8Type>(rows, |row| {
                    let address = <[u8; 16]>::try_from(addresses.value(at(addresses.len(), row))).unwrap_or_default();
                    let address = u128::from_be_bytes(address);
                    AddressRange::parse(ranges.get(row)).map(|range| u8::from(range.holds(address, false)))
                })
            }
            _ => {
                let addresses = Bytes::of(&args[0])?;
                numbers::<UInt8Type>(rows, |row| {
                    let (address, range) = (addresses.get(row), AddressRange::parse(ranges.get(row))?);
                    let found = ipv6(address).map_err(|fault| fault.explain(address, &T::IPv6))?;
                    Ok(u8::from(range.holds(u128::from_be_bytes(found), ipv4(address).is_ok())))
                })
            }
        }
    }))
}

/// `10.0.0.0/8`. Those of four bytes count as the addresses of sixteen that stand for them.
struct AddressRange {
    base: u128,
    mask: u128,
    narrow: bool,
}

impl AddressRange {
    /// Error: CANNOT_PARSE_TEXT.
    fn parse(text: &[u8]) -> Result<AddressRange> {
        let wrong = || {
            let text = format!("'{}' is no range of addresses such as 10.0.0.0/8", String::from_utf8_lossy(text));
            Error::new(ErrorCode::CANNOT_PARSE_TEXT, text)
        };
        let slash = memchr::memchr(b'/', text).ok_or_else(wrong)?;
        let bits: u32 = std::str::from_utf8(&text[slash + 1..]).ok().and_then(|bits| bits.parse().ok()).ok_or_else(wrong)?;
        let (base, narrow) = (ipv6(&text[..slash]).map_err(|_| wrong())?, ipv4(&text[..slash]).is_ok());
        if bits > if narrow { 32 } else { 128 } {
            return Err(wrong());
        }
        let mask = u128::MAX.checked_shl(128 - bits - if narrow { 96 } else { 0 }).unwrap_or(0);
        Ok(AddressRange { base: u128::from_be_bytes(base), mask, narrow })
    }

    fn holds(&self, address: u128, narrow: bool) -> bool {
        narrow == self.narrow && address & self.mask == self.base & self.mask
    }
}

/// `aa:bb:cc:dd:ee:ff` (17 letters), or its first three bytes (8 letters); 0 where it is none.
fn mac(name: &str, arguments: &[Argument], letters: usize) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_string(name, arguments, 0)?;
    Ok(Bound::new(T::UInt64, move |args, rows| {
        let texts = Bytes::of(&args[0])?;
        numbers::<UInt64Type>(rows, |row| Ok(mac_number(texts.get(row), letters).unwrap_or(0)))
    }))
}

fn mac_number(text: &[u8], letters: usize) -> Option<u64> {
    if !(letters..=17).contains(&text.len()) {
        return None;
    }
    text[..letters].iter().enumerate().try_fold(0, |value, (i, c)| match i % 3 {
        2 => (*c == b':').then_some(value),
        _ => Some(value << 4 | u64::from(char::from(*c).to_digit(16)?)),
    })
}
