import { npmPeers } from './interop-peers.ts';
import { testInterop } from './interop-tests.ts';

for (const peer of npmPeers) testInterop(peer);
