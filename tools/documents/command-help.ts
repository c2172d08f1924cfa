import { loadCommands } from '../../packages/cli/src/commands/load-command.ts';
import { helpOf, helpOfAll, helpOfGroup } from '../../packages/cli/src/terminal/help.ts';

const commands = await loadCommands();

/**
 * The file in which the launcher finds the texts of `--help`, so that it can respond before anything is
 * installed.
 */
export const commandHelpFile: URL = new URL('../../packages/cli/bin/help.json', import.meta.url);

/** The `--help` text of every command and group, by the words before it, as JSON. */
export function commandHelp(): string {
  const groups = Map.groupBy(
    commands.filter(({ name }) => name.includes(' ')),
    ({ name }) => name.split(' ')[0]!,
  );
  const help = {
    '': helpOfAll(commands),
    ...Object.fromEntries([...groups].map(([group, members]) => [group, helpOfGroup(group, members)])),
    ...Object.fromEntries(commands.map((command) => [command.name, helpOf(command)])),
  };
  return `${JSON.stringify(help, undefined, 2)}\n`;
}
