//! The wire format: numbered fields. Source: protobuf.dev, "Encoding".

/// Why bytes are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum WireError {
    #[error("a message is cut off")]
    Short,
    #[error("a number is too long")]
    Long,
    #[error("a field has a form that is not used any more")]
    Form,
    #[error("a field has another type than it should have")]
    Type,
}

/// One value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value<'a> {
    Integer(u64),
    Fixed(u64),
    Bytes(&'a [u8]),
}

/// Reads fields one after the other.
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next field; `None` at the end.
    pub(super) fn field(&mut self) -> Result<Option<(u32, Value<'a>)>, WireError> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let tag = self.integer()?;
        let number = u32::try_from(tag >> 3).map_err(|_| WireError::Long)?;
        let value = match tag & 7 {
            0 => Value::Integer(self.integer()?),
            1 => Value::Fixed(self.fixed(8)?),
            2 => {
                let length = usize::try_from(self.integer()?).map_err(|_| WireError::Short)?;
                Value::Bytes(self.take(length)?)
            }
            5 => Value::Fixed(self.fixed(4)?),
            _ => return Err(WireError::Form),
        };
        Ok(Some((number, value)))
    }

    fn integer(&mut self) -> Result<u64, WireError> {
        let mut sum = 0;
        for shift in (0..64).step_by(7) {
            let byte = u64::from(*self.take(1)?.first().ok_or(WireError::Short)?);
            sum |= (byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(sum);
            }
        }
        Err(WireError::Long)
    }

    fn fixed(&mut self, length: usize) -> Result<u64, WireError> {
        Ok(self.take(length)?.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], WireError> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(WireError::Short)?;
        self.0 = rest;
        Ok(taken)
    }
}

impl<'a> Value<'a> {
    /// Of a text, a message or bytes.
    pub(super) fn bytes(self) -> Result<&'a [u8], WireError> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            _ => Err(WireError::Type),
        }
    }

    /// Negative ones are written as their two's complement.
    pub(super) fn integer(self) -> Result<i64, WireError> {
        match self {
            Self::Integer(bits) => Ok(i64::from_le_bytes(bits.to_le_bytes())),
            Self::Bytes(&[]) => Ok(0),
            _ => Err(WireError::Type),
        }
    }

    pub(super) fn double(self) -> Result<f64, WireError> {
        match self {
            Self::Fixed(bits) => Ok(f64::from_bits(bits)),
            _ => Err(WireError::Type),
        }
    }
}
