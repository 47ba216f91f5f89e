// Reads all assets and prints how many there are; on standard error, the seconds and the peak of memory in MB.
//
//   AMS_BASE_URL=… AMS_API_KEY=… [AMS_FILTER=name=value] node bench/list-all.mjs stream|pages     (after npm run build)
import { Client } from '@ams/client';

const [way] = process.argv.slice(2);
if (way !== 'stream' && way !== 'pages') throw new Error('usage: node bench/list-all.mjs stream|pages');
const { AMS_BASE_URL, AMS_API_KEY, AMS_FILTER = '' } = process.env;
const { assets } = new Client(AMS_BASE_URL, AMS_API_KEY);
const filters = Object.fromEntries(new URLSearchParams(AMS_FILTER));

const began = performance.now();
let count = 0;
for await (const { name } of way === 'stream' ? assets.stream(filters) : assets.all(filters)) if (name) count++;
const seconds = (performance.now() - began) / 1000;
console.log(count);
console.error(`${seconds.toFixed(2)} s, ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`);
