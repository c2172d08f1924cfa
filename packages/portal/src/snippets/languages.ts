import { csharp } from './languages/csharp.ts';
import { go } from './languages/go.ts';
import { java } from './languages/java.ts';
import { node } from './languages/node.ts';
import { php } from './languages/php.ts';
import { python } from './languages/python.ts';
import { shell } from './languages/shell.ts';
import type { Snippet } from './snippet.ts';

/** In the order of the tabs. */
export const snippets: readonly Snippet[] = [shell, node, python, java, go, php, csharp];
