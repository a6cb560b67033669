// Queues and a topic of a local SQS and SNS. The server needs Node.js 22, so the test runs it in a process; it ends with its standard input.
import { startFauxqs } from 'fauxqs';

const server = await startFauxqs({ port: 0, logger: false });
server.createQueue('orders');
server.createQueue('copies');
server.createTopic('news');
server.subscribe({ topic: 'news', queue: 'copies' });
process.stdout.write(`${server.port}\n`);
process.stdin.on('close', () => process.exit()).resume();
