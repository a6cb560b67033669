// Names the directories that all workers of this run share. The first test that needs a server makes its directory and starts it.
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default function setUp() {
  // A script that runs jest many times shares its servers between the runs, and stops them.
  process.env.SALLYPORT_SERVERS_RUN ??= `${process.pid}:${join(tmpdir(), `sallyport-${randomUUID()}`)}`;
}
