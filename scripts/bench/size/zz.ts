import { bundle } from '../bundle.js';
for (const [n, l] of [['http'],['queue'],['queue-alone'],['s3'],['mcp'],['app'],['observed']] as [string][]) {
  const b = await bundle(`size/entries/${n}.ts`, l as never);
  process.stdout.write(`${n} ${JSON.stringify(Object.entries(b).filter(([,v])=>typeof v==='number'))}\n`);
}
