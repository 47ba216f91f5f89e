# One image for each of our programs:
#
#   docker build --build-arg PROGRAM=assets --build-arg VERSION=1.0.0 -t ams/assets:1.0.0 .
#
# The first stage compiles all programs and is the same for every image, so it runs once. An image is the program, the
# certificates of the public authorities and an empty folder for temporary files: no shell, no package to patch, no user
# but 65532.
FROM golang:1.26.8-bookworm AS build
WORKDIR /source
COPY . .
ARG VERSION=development
# grpcnotrace leaves out a debugging page of gRPC (which only the OTLP exporter brings along), and with it a third of
# each program: the linker cannot drop unused methods while it is there. nodynamic keeps the decoder of HEIC from asking for a
# library of the machine: the program would need a dynamic loader, and there is none.
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -tags grpcnotrace,nodynamic \
    -ldflags="-s -w -X ams.internal/libs/service.release=${VERSION} -X main.release=${VERSION}" \
    -o /programs/ ./gateway ./services/... ./deploy/cmd/amsctl
# A folder that is copied within another one keeps its mode.
RUN mkdir -p /folders/tmp && chmod 777 /folders/tmp

FROM scratch
ARG PROGRAM
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /programs/${PROGRAM} /program
COPY --from=build /folders/ /
USER 65532:65532
ENTRYPOINT ["/program"]
