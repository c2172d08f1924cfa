// Checks the subjects of the commits since the rule was introduced; with a path, of the one message in that file.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { checkSubjects, subjectMistake } from './commits/commit-subjects.ts';

const [messageFile] = process.argv.slice(2);
if (messageFile !== undefined) {
  const mistake = subjectMistake(readFileSync(messageFile, 'utf8'));
  if (mistake !== undefined) {
    console.error(mistake);
    process.exitCode = 1;
  }
} else {
  const { count, mistakes } = checkSubjects(fileURLToPath(new URL('..', import.meta.url)));
  for (const mistake of mistakes) console.log(mistake);
  console.log(`${count} commits, ${mistakes.length} subjects that are too long`);
  if (mistakes.length > 0) process.exitCode = 1;
}
