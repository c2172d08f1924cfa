import type { Command } from '../command.ts';
import { api } from './api.ts';
import { backup } from './backup.ts';
import { clientsAdd, clientsDisable, clientsEnable, clientsList, clientsShow } from './clients.ts';
import { clientsLabel } from './clients-label.ts';
import { completionCommand } from './completion.ts';
import { demoDataRemove } from './demo-data.ts';
import { doctor } from './doctor.ts';
import { explain } from './explain.ts';
import { keygen } from './keygen.ts';
import { keysAdd, keysRevoke } from './keys.ts';
import { move } from './move.ts';
import { proxy } from './proxy.ts';
import { request } from './request.ts';
import { rotate } from './rotate.ts';
import { routesReady } from './routes-ready.ts';
import { routesCheck, routesList, routesTest } from './routes.ts';
import { sign } from './sign.ts';
import { verify } from './verify.ts';

const most: readonly Command[] = [
  keygen,
  request,
  sign,
  verify,
  explain,
  doctor,
  proxy,
  rotate,
  api,
  clientsAdd,
  clientsList,
  clientsShow,
  clientsDisable,
  clientsEnable,
  clientsLabel,
  keysAdd,
  keysRevoke,
  routesList,
  routesCheck,
  routesTest,
  routesReady,
  demoDataRemove,
  backup,
  move,
];

export const completion: Command = completionCommand(most);

/** All commands, in `--help` order. A command that is run is loaded by `commandLoaders` instead. */
export const commands: readonly Command[] = [...most, completion];
