# The image of the product: the program, and the operator's tool beside it.
#
#   docker build --build-arg VERSION=1.0.0 -t ams:1.0.0 .
#   docker run ams:1.0.0 serve assets      # ams is the entry point; -help lists its targets
#   docker run --entrypoint /amsctl ams:1.0.0 status
#
# It holds these two, the certificates of the public authorities, an empty folder for temporary files and one for documents: no shell, no
# package to patch, no user but 65532.
FROM golang:1.26.8-bookworm AS build
WORKDIR /source
COPY . .
ARG VERSION=development
# What amsctl is compiled with and git has not; nothing where the checkout has it.
RUN deploy/tools/clients.sh go
# grpcnotrace leaves out a debugging page of gRPC (which only the OTLP exporter brings along), and with it a third of
# the program: the linker cannot drop unused methods while it is there. nodynamic keeps the decoder of HEIC from asking for a
# library of the machine: the program would need a dynamic loader, and there is none.
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -tags grpcnotrace,nodynamic \
    -ldflags="-s -w -X ams.internal/libs/service.release=${VERSION} -X main.release=${VERSION}" \
    -o /programs/ ./deploy/cmd/ams ./deploy/cmd/amsctl
# Folders that are copied within another one keep their mode.
RUN mkdir -p /folders/tmp /folders/documents && chmod 777 /folders/tmp && chmod 700 /folders/documents

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /programs/amsctl /amsctl
COPY --from=build /programs/ams /program
COPY --from=build --chown=65532:65532 /folders/ /
USER 65532:65532
ENTRYPOINT ["/program"]
