# What deploy.sh ends for with a sentence, while the product serves on. After changes.sh: the schema has a further migration then.
# shellcheck shell=bash disable=SC2154
say "roll-outs that cannot succeed"
refused() { # SENTENCE COMMAND…: deploy.sh ends with it
  local sentence=$1
  shift
  if "$@" > "$work/refused.log" 2>&1; then cat "$work/refused.log"; return 1; fi
  grep -F "The roll-out has stopped" "$work/refused.log"
  grep "The roll-out has stopped" "$work/refused.log" | grep -qF "$sentence" || { tail -5 "$work/refused.log"; return 1; }
}
older() { tagged local && refused "assets" "$mine/deploy.sh" local; }
act "refused: a schema newer than the program" none older
variant failing 9999 "ALTER TABLE assets.asset ADD COLUMN name text"
failing() { tagged failing && refused "column \"name\"" "$mine/deploy.sh" local; }
act "refused: a migration that fails" none failing
absent() { tagged absent && refused "cannot start" env AMS_DEPLOY_PATIENCE=25 "$mine/deploy.sh" local; }
act "refused: an image that cannot be had" none absent
ams delete job -l "$component=migration" >/dev/null
secretless() {
  tagged forward
  ams get secret ams-redis -o yaml > "$work/secret.yaml"
  ams delete secret ams-redis
  local result=0
  refused "no secret ams-redis" "$mine/deploy.sh" local || result=1
  kubectl apply -f "$work/secret.yaml"
  return $result
}
act "refused: a secret that is missing" none secretless
misdirected() {
  ams get secret ams-database-owner -o yaml > "$work/secret.yaml"
  ams create secret generic ams-database-owner --from-literal=url=postgres://ams_owner:x@nowhere:5432/ams --dry-run=client -o yaml | kubectl apply -f -
  local result=0
  refused "nowhere" "$mine/deploy.sh" local || result=1
  kubectl apply -f "$work/secret.yaml" --force
  return $result
}
act "refused: a wrong address of the database" none misdirected
again() { "$mine/deploy.sh" local; }
act "the same overlay again" none again
