/* The thread that writes the request log: it runs one write at a time, on its own connection to the database. */
import { answerTasks } from '../../storage/answer-tasks.ts';
import { type RequestWrites, requestWritesTo } from './request-writes.ts';

answerTasks({ applicationName: 'countersign request log', isInOrder: true }, (database) => {
  const writes = requestWritesTo(database);
  return (name, argument) => {
    const write = writes[name as keyof RequestWrites] as (argument: unknown) => Promise<unknown>;
    return write(argument);
  };
});
