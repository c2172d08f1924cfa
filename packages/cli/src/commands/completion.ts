import { type Command, defineCommand } from '../command.ts';
import { completionTree, type Shell, shells } from '../completion/completion-scripts.ts';
import { usageError } from '../exits.ts';
import { writeJson } from '../terminal/report.ts';

export const completion: Command = defineCommand({
  name: 'completion',
  summary: 'Prints a shell completion script for commands, options and operations.',
  arguments: [{ name: 'SHELL', help: 'bash, zsh or fish.' }],
  options: {},
  notes: [
    "Load it in your shell's startup file: ~/.bashrc, ~/.zshrc (after compinit) or ~/.config/fish/config.fish.",
  ],
  examples: [
    { what: 'in ~/.bashrc or ~/.zshrc', line: 'countersign completion bash' },
    { what: 'for every fish', line: 'countersign completion fish' },
  ],
  async execute({ values, positionals: [shell = ''] }, io) {
    if (!Object.hasOwn(shells, shell)) throw usageError(`"${shell}" is not bash, zsh or fish.`);
    const { callableOperations } = await import('./api.ts');
    const { loadCommands } = await import('./load-command.ts');
    const { messageProfiles } = await import('@countersign/signature/messages');
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
    const tree = completionTree(await loadCommands(), {
      api: callableOperations().map(({ id }) => id),
      request: methods,
      sign: methods,
      completion: Object.keys(shells),
      profiles: Object.values(messageProfiles).map(({ id }) => id),
    });
    const script = shells[shell as Shell](tree);
    if (values.json) writeJson(io, { ok: true, shell, script });
    else io.output.write(script);
    return 'ok';
  },
});
