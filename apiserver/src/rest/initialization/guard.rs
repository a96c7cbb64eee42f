//! Who may write an object that is not initialized.

use crate::admission::initializers::{Target, may_initialize};
use crate::rest::context::Context;
use crate::status::{FieldError, Status};
use crate::storage::Record;

/// Fails unless the object is initialized or the caller may `initialize` it. Admission checks whole objects once more; here the
/// parts are checked too, because the answer to their write would show all of it.
pub fn may_write(context: &Context, record: &Record) -> Result<(), Status> {
    if !record.uninitialized || !context.server.initialization.settings.enabled {
        return Ok(());
    }
    let Context { resource, namespace, name, user, .. } = context;
    match may_initialize(&context.server.authorizer, user, &Target { resource, namespace, name }) {
        Ok(()) => Ok(()),
        Err(_) if context.subresource == "status" => {
            let why = "must not update status when the object is uninitialized";
            Err(Status::invalid(resource, name, &[FieldError::forbidden("metadata.initializers", why)]))
        }
        Err(reason) => Err(Status::forbidden(resource, name, format_args!("update to uninitialized resource denied: {reason}"))),
    }
}
