// Rewrites the launcher's responses to --help: `npm run docs:help`.
import { writeFileSync } from 'node:fs';
import { commandHelp, commandHelpFile } from './command-help.ts';

writeFileSync(commandHelpFile, commandHelp());
