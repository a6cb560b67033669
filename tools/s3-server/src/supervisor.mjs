// Runs Ceph's S3 server, radosgw, on a cluster of one monitor and one storage daemon in memory; see `supervise.mjs` of dynamodb-local.
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endChild, freePort, sleep, supervise } from '@sallyport/dynamodb-local/supervise';

const PROGRAMS = ['ceph-mon', 'ceph-osd', 'radosgw'];
const MISSING =
  'The S3 tests need radosgw, ceph-mon and ceph-osd on the PATH: run `node scripts/setup.mjs`, install the Debian packages of these names, or set S3_ENDPOINT.';
const OSD_STARTS = 5;
const OSD_POLLS = 60;
const GATEWAY_POLLS = 300;

/** In the order in which they were started. */
const daemons = [];

/** Loopback only, no authentication inside the cluster, everything in memory and in the directory of the run. */
function configuration(directory, { fsid, monitorPort, port }) {
  return `[global]
fsid = ${fsid}
mon host = [v1:127.0.0.1:${monitorPort}/0]
public addr = 127.0.0.1
ms bind msgr2 = false
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000
mon data avail warn = 1
mon data avail crit = 1
osd objectstore = memstore
memstore device bytes = 1073741824
run dir = ${directory}
admin socket = ${directory}/sock/$name.$pid.asok
log file = ${directory}/daemons/$name.log
debug ms = 0
mon osd reporter subtree level = osd
[mon.a]
mon data = ${directory}/mon
[osd.0]
osd data = ${directory}/osd
osd max object name len = 256
osd max object namespace len = 64
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${port}
rgw data = ${directory}/rgw
rgw crypt require ssl = false
rgw crypt s3 kms backend = testing
rgw crypt s3 kms encryption keys = testkey-1=YmluCmJvb3N0CmJvb3N0LWJ1aWxkCmNlcGguY29uZgo= testkey-2=aWIKTWFrZWZpbGUKbWFuCm91dApzcmMKVGVzdGluZwo=
rgw dynamic resharding = false
rgw thread pool size = 16
`;
}

/** Runs a command to its end and answers what it printed. */
function run(command, args, directory) {
  const CEPH_CONF = join(directory, 'ceph.conf');
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    env: { ...process.env, CEPH_CONF },
    timeout: 30_000,
  });
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`);
  return stdout;
}

function launch(command, args, directory) {
  const log = openSync(join(directory, 'log'), 'a');
  const CEPH_CONF = join(directory, 'ceph.conf');
  const child = spawn(command, args, { stdio: ['ignore', log, log], env: { ...process.env, CEPH_CONF } });
  const daemon = { child, isOver: false, ended: undefined };
  daemon.ended = new Promise((resolve) => {
    for (const event of ['error', 'exit']) child.once(event, resolve);
  }).then(() => {
    daemon.isOver = true;
  });
  daemons.push(daemon);
  return daemon;
}

async function isUp(directory) {
  const { stdout } = spawnSync('ceph', ['-c', join(directory, 'ceph.conf'), 'osd', 'stat'], {
    encoding: 'utf8',
    timeout: 5000,
  });
  return /\b1 up\b/.test(stdout ?? '');
}

/** The storage daemon of this release sometimes ends at its first start; it comes up at a later one. */
async function startStorage(directory, isStopping) {
  const uuid = randomUUID();
  run('ceph', ['osd', 'new', uuid], directory);
  run('ceph-osd', ['-i', '0', '--mkfs', '--osd-uuid', uuid], directory);
  for (let attempt = 1; attempt <= OSD_STARTS && !isStopping(); attempt += 1) {
    const daemon = launch('ceph-osd', ['-f', '-i', '0'], directory);
    for (let poll = 0; poll < OSD_POLLS && !daemon.isOver && !isStopping(); poll += 1) {
      if (await isUp(directory)) return;
      await sleep(200);
    }
    if (!daemon.isOver) await endChild(daemon.child, daemon.ended);
  }
  throw new Error('the storage daemon of the S3 server did not come up');
}

async function start(directory, isStopping) {
  if (PROGRAMS.some((program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status !== 0)) {
    throw new Error(MISSING);
  }
  for (const folder of ['mon', 'osd', 'rgw', 'sock', 'daemons']) mkdirSync(join(directory, folder));
  const [fsid, monitorPort, port] = [randomUUID(), await freePort(), await freePort()];
  writeFileSync(join(directory, 'ceph.conf'), configuration(directory, { fsid, monitorPort, port }));
  const map = join(directory, 'monmap');
  run(
    'monmaptool',
    ['--create', '--clobber', '--fsid', fsid, '--addv', 'a', `[v1:127.0.0.1:${monitorPort}/0]`, map],
    directory,
  );
  run('ceph-mon', ['--mkfs', '-i', 'a', '--monmap', map], directory);
  launch('ceph-mon', ['-f', '-i', 'a'], directory);
  await startStorage(directory, isStopping);
  const user = ['user', 'create', '--uid=test', '--display-name=test'];
  const keys = ['--access-key=AKIATESTACCESSKEY', '--secret=testsecret0123456789'];
  run('radosgw-admin', ['-n', 'client.rgw', ...user, ...keys], directory);
  const gateway = launch('radosgw', ['-f', '-n', 'client.rgw'], directory);
  const endpoint = `http://127.0.0.1:${port}`;
  for (let poll = 0; poll < GATEWAY_POLLS && !gateway.isOver && !isStopping(); poll += 1) {
    if (await answers(endpoint)) return endpoint;
    await sleep(200);
  }
  throw new Error('radosgw did not start');
}

async function answers(endpoint) {
  try {
    return (await fetch(endpoint)).status === 200;
  } catch {
    return false;
  }
}

/** The gateway first, so that nothing waits for a storage that is gone. */
supervise(start, async () => {
  for (const { child, ended, isOver } of daemons.reverse()) if (!isOver) await endChild(child, ended);
});
