// What a caller does, in one program that compiles without a cast.
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { AMSError, Client, type Schemas } from '@ams/client';

const { AMS_BASE_URL = '', AMS_API_KEY = '', OUTPUT = 'assets.ndjson' } = process.env;
const client = new Client(AMS_BASE_URL, AMS_API_KEY, { timeout: 30_000 });

const me = await client.me();
const site = await client.sites.create({ name: `Works ${me.key.name}` });

const write: Schemas['AssetWrite'] = { name: 'Boiler', site_id: site.id, category: 'hvac', replacement_cost: 18000 };
const boiler: Schemas['Asset'] = await client.assets.create(write);
const changed = await client.assets.update(boiler.id, { status: 'in_service', condition_rating: 2 }, { ifMatch: boiler.version });
console.log('version', changed.version, changed.status);

try {
  await client.assets.update(boiler.id, { location: null }, { ifMatch: boiler.version });
  console.log('overwritten');
} catch (error) {
  if (!(error instanceof AMSError)) throw error;
  console.log('refused', error.status, error.fields.length);
}

const row = { name: 'Pump', site_id: site.id, external_id: `pump-${site.id}` };
for (const name of ['Pump', 'Pump one']) {
  const { summary } = await client.assets.bulkCreate([{ ...row, name }], { onConflict: 'update' });
  console.log('created', summary.created, 'updated', summary.updated);
}

let total = 0;
for await (const asset of client.assets.all({ site_id: site.id, per_page: 1 })) total += asset.replacement_cost ?? 0;
console.log('total', total);

async function* rows() {
  for await (const asset of client.assets.stream({ site_id: site.id })) yield `${asset.id} ${asset.name.toUpperCase()}\n`;
}
await pipeline(rows(), createWriteStream(OUTPUT));

const order = await client.workOrders.create({ title: 'Check', asset_id: boiler.id, priority: 'high' });
const { data: tasks } = await client.workOrders.tasks(order.id).list({ per_page: 10 });
console.log('tasks', tasks.length);

for await (const { action } of client.assets.history(boiler.id)) console.log('history', action);

await client.workOrders.delete(order.id);
const { data } = await client.assets.list({ site_id: site.id });
await client.assets.bulkDelete(data.map(({ id }) => ({ id })));
await client.sites.delete(site.id);
console.log('done');
