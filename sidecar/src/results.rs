//! How each stage can end: closed sets of labels.

macro_rules! results {
    ($(#[$doc:meta])* $name:ident { $($(#[$case_doc:meta])* $case:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$case_doc])* $case),+ }

        impl $name {
            /// The label.
            pub fn label(self) -> &'static str {
                match self { $(Self::$case => $text),+ }
            }
        }
    };
}

results!(
    /// How a declaration or a session ended.
    SessionEnd {
        /// The engine accepted the declaration.
        Declared = "declared",
        /// The declaration failed.
        Failed = "failed",
        /// Another sidecar declared the same source.
        Superseded = "superseded",
        /// The engine process is a new one.
        NewEpoch = "new_epoch",
    }
);
results!(
    /// How a full list ended.
    ListEnd {
        /// All pages were read.
        Complete = "complete",
        /// A page failed.
        Failed = "failed",
    }
);
results!(
    /// How a watch ended.
    WatchEnd {
        /// The API server closed it in good order.
        Closed = "closed",
        /// Its resourceVersion is too old: the kind is listed again.
        Expired = "expired",
        /// It failed or broke off.
        Failed = "failed",
        /// Nothing came for too long.
        Silent = "silent",
        /// It did not tell what another watch of the same collection did.
        Stalled = "stalled",
        /// Opened again with new credentials.
        Renewed = "renewed",
    }
);
results!(
    /// What became of an object.
    ObjectEnd {
        /// It is, or changed.
        Put = "put",
        /// It is gone.
        Removed = "removed",
        /// It cannot be replicated.
        Unfit = "unfit",
    }
);
results!(
    /// How a body sent to the engine ended.
    SyncEnd {
        /// The engine has published it.
        Published = "published",
        /// The session is over.
        SessionEnded = "session_ended",
        /// The engine refused it.
        Refused = "refused",
        /// The engine did not answer.
        Unreachable = "unreachable",
        /// Given up half way, because the list failed or the sidecar turned to something newer.
        Abandoned = "abandoned",
    }
);
results!(
    /// How a policy set fared.
    PolicyEnd {
        /// In force.
        Accepted = "accepted",
        /// The compiler refused it.
        Rejected = "rejected",
        /// It could not be delivered.
        Failed = "failed",
    }
);
results!(
    /// What the plan says of a row.
    RowEnd {
        /// A patch is due.
        Patch = "patch",
        /// Only an Event is due.
        Note = "note",
        /// The object is as decided.
        Nothing = "nothing",
        /// The object is gone.
        Removed = "removed",
    }
);
results!(
    /// How a patch ended.
    WriteEnd {
        /// Written: the answer shows the object as asked.
        Patched = "patched",
        /// Taken, and undone within the request.
        Reverted = "reverted",
        /// A newer version of the object exists; it is decided again when replicated.
        Conflict = "conflict",
        /// The object is gone.
        Gone = "gone",
        /// The API server refused it.
        Refused = "refused",
        /// The API server did not answer in time, or nothing that can be read.
        Unreachable = "unreachable",
        /// Broken off: this replica may no longer write.
        Cancelled = "cancelled",
    }
);
results!(
    /// How an Event ended.
    EventEnd {
        /// A new Event.
        Created = "created",
        /// One more of an Event that exists.
        Counted = "counted",
        /// More Events than the budget allows.
        Dropped = "dropped",
        /// The API server did not take it.
        Failed = "failed",
    }
);
results!(
    /// How a look at the credentials ended.
    CredentialEnd {
        /// New ones work and are in use.
        Swapped = "swapped",
        /// They cannot be read, or the API server does not take them.
        Failed = "failed",
        /// The files are what they were.
        Unchanged = "unchanged",
    }
);
results!(
    /// Why a patch that moves an object was let go.
    MoveEnd {
        /// It was never placed, and such objects are not counted.
        First = "first",
        /// Policy calls it urgent: past the brake.
        Urgent = "urgent",
        /// Somebody released it.
        Released = "released",
        /// There was room for it.
        Counted = "counted",
    }
);
