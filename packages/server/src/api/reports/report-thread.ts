/* The thread that makes the reports, on its own connection to the database. Concurrent reports take turns. */
import { setPriority } from 'node:os';
import { answerTasks } from '../../storage/answer-tasks.ts';
import { makeReport, memoryOf, type ReportResult, type ReportTask } from './report-tasks.ts';
import { type ReportId, reportsOn } from './reports.ts';

/** The default of the command `nice`. */
const reportNiceness = 10;

// On few cores, requests come first. Only Linux has a priority per thread; elsewhere this would change the
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
