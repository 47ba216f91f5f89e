# Roll-outs: a restart, a changed setting, a new version with a migration and the way back.
# shellcheck shell=bash disable=SC2154
say "roll-outs, one of each program"
act "all programs rolled out at once" none all_at_once

setting() { sed -i "s/AMS_TRACE_RATIO=0.1/AMS_TRACE_RATIO=0.2/" "$mine/overlays/local/kustomization.yaml" && "$mine/deploy.sh" local; }
act "a changed setting, by deploy.sh" none setting

variant forward 9998 "ALTER TABLE assets.asset ADD COLUMN further text"
forward_migration() { tagged forward && "$mine/deploy.sh" local; }
act "a new version with a migration" none forward_migration
undo() { ams rollout undo deployment -l "$component=program" && rolled; }
act "rollout undo: the old version on the new schema" none undo
