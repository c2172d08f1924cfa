// An API on plain node:http whose clients are those of a Countersign service elsewhere.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createVerifier, followRegistry, openReplayGuard } from '@countersign/middleware';
import { countersign } from '@countersign/middleware/node';
import { createSigner } from '@countersign/signature/node';

const { PORT = '3000', COUNTERSIGN_URL, AUDITOR_CLIENT_ID, AUDITOR_KEY = 'auditor.pem' } = process.env;

// A client of the service with the role "auditor", which reads everything and changes nothing.
const signer = createSigner({ keyid: AUDITOR_CLIENT_ID, privateKey: readFileSync(AUDITOR_KEY, 'utf8') });
const registry = await followRegistry({ baseUrl: COUNTERSIGN_URL, signer });
const guard = await openReplayGuard('replay'); // a folder of its own
const verifier = createVerifier({ baseUrls: [`http://127.0.0.1:${PORT}`], registry, guard });

const server = createServer(
  countersign(verifier, (request, response, { clientId, roles }) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ clientId, roles }));
  }),
);
server.listen(Number(PORT), '127.0.0.1');

process.once('SIGTERM', () => {
  server.close(() => {
    guard.close(); // last, when no request is open any more
    void registry.close();
  });
  server.closeIdleConnections();
});
