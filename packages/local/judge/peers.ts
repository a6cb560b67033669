// Compares our SQS with fauxqs, and our S3 with radosgw: `npm run local:peers`. Prints each difference with AWS's documentation.
// Exits with 1 for a difference that `peers/known.ts` does not explain, and for an unused explanation.
import { compare, type Difference } from './peers/compare.js';
import { KNOWN } from './peers/known.js';
import { S3_STEPS } from './peers/s3.js';
import { startOurs, startPeers } from './peers/servers.js';
import { SQS_STEPS } from './peers/sqs.js';

const cut = (text: string) => (text.length > 40 ? `${text.slice(0, 37)}...` : text);

function print({ service, step, member, ours, peer, known }: Difference): void {
  const row = `${service}  ${step}  ${member}: ours ${cut(ours)}, peer ${cut(peer)}`;
  process.stdout.write(`${row}\n    ${known ? `${known.right}: ${known.text} ${known.source}` : 'NOT LISTED'}\n`);
}

const ours = await startOurs();
const peers = await startPeers();
const differences = [
  ...(await compare('sqs', SQS_STEPS, { ours: ours.sqs, peer: peers.sqs }, KNOWN)),
  ...(await compare('s3', S3_STEPS, { ours: ours.s3, peer: peers.s3 }, KNOWN)),
];
for (const difference of differences) print(difference);
const unlisted = differences.filter(({ known }) => known === undefined);
const unused = KNOWN.filter((entry) => !differences.some(({ known }) => known === entry));
for (const { service, steps, members } of unused) {
  process.stdout.write(`${service}  ${steps.source}  ${members.source}: LISTED, BUT NOT SEEN\n`);
}
const calls = SQS_STEPS.length + S3_STEPS.length;
process.stdout.write(
  `${calls} calls, ${differences.length} differences, ${unlisted.length} not listed, ${unused.length} not seen\n`,
);
await Promise.all([ours.stop(), peers.stop()]);
process.exit(unlisted.length + unused.length === 0 ? 0 : 1);
