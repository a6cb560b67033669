// `node serve-registry.mjs <folder>`: verdaccio on loopback over a folder, without an uplink. Prints its port.
import { join } from 'node:path';
import { runServer } from 'verdaccio';

const [, , folder] = process.argv;
const everybody = { access: '$all', publish: '$all', unpublish: '$all' };
const often = { windowMs: 1000, max: 1_000_000 };
const app = await runServer({
  storage: folder,
  self_path: folder,
  auth: { htpasswd: { file: join(folder, '.htpasswd') } },
  uplinks: {},
  packages: { '**': everybody },
  web: { enable: false },
  max_body_size: '200mb',
  userRateLimit: often,
  server: { rateLimit: often },
  log: { type: 'stdout', level: 'fatal', format: 'json' },
});
app.listen(0, '127.0.0.1', () => process.stdout.write(`port ${app.address().port}\n`));
