// Names the directory that all workers of this run share. The first test that asks makes it and starts the server in it.
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default function setUp() {
  process.env.SALLYPORT_DYNAMODB_RUN = `${process.pid}:${join(tmpdir(), `sallyport-dynamodb-${randomUUID()}`)}`;
}
