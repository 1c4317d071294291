// Loaded before an example server that listens on a port of its own choice: it gets a free one of loopback instead, so that
// several can run at once, and its address is told to the parent.
import { Server } from 'node:net';

const listen = Server.prototype.listen;
Server.prototype.listen = function listenElsewhere(...args) {
  const told = args.findLast((arg) => typeof arg === 'function');
  return listen.call(this, 0, '127.0.0.1', () => {
    process.send?.({ port: this.address().port });
    told?.();
  });
};
process.once('disconnect', () => process.exit(0));
