# Not built in CI, which has no container engine. The base images are the only thing here that is not pinned by digest:
# pin them to what your registry mirrors.
#
#   docker build -t plimsoll:0.1.0 .

FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY . .
# Without the feature `dev`: what runs in a cluster has no API server of its own in it, and one engine for Rego.
RUN cargo build --release --locked --no-default-features --bin plimsoll

# A C library and root certificates, no shell; runs as an ordinary user with a read-only root file system.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /src/target/release/plimsoll /plimsoll
USER 65532:65532
# Memory that is freed goes back to the system at once: the container has a limit.
ENV MIMALLOC_PURGE_DELAY=0 MIMALLOC_ALLOW_THP=0
ENTRYPOINT ["/plimsoll"]
