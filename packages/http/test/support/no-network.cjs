// Preloaded into a child process: any connection ends it with a message.
const net = require('node:net');
net.Socket.prototype.connect = function connect() {
  process.stderr.write('NETWORK CALL\n');
  process.exit(70);
};
