#!/usr/bin/env bash
# Gives the cluster one more image of a program of ours.
#
#   image.sh PROGRAM-FILE NAME [AMSCTL-FILE]
set -euo pipefail
source "$(dirname "$0")/settings.sh"
source "$cluster/image-parts.sh"
begin_images
program_image program "$1" "$2" "${3:-}"
import
