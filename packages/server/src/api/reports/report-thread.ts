/* The thread that makes the reports, on its own connection to the database. They take turns. */
import { setPriority } from 'node:os';
import { answerTasks } from '../../storage/answer-tasks.ts';
import { makeReport, memoryOf, type ReportResult, type ReportTask } from './report-tasks.ts';
import { type ReportId, reportsOn } from './reports.ts';

/** As the command `nice` has it by default. */
const reportNiceness = 10;

// Where there are few cores, requests come first. Only Linux has a priority for each thread; elsewhere this would be the
// priority of the whole service.
if (process.platform === 'linux') setPriority(reportNiceness);

const rules = {
  applicationName: 'countersign reports',
  isInOrder: false,
  memoryOf: (result: unknown) => memoryOf(result as ReportResult),
};

answerTasks(rules, (database) => {
  const reports = reportsOn(database);
  return (name, argument) => makeReport(reports, name as ReportId, argument as ReportTask);
});
