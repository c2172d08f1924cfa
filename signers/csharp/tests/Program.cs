using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Reflection;
using System.Threading.Tasks;

namespace Countersign.Tests
{
    /// <summary>Marks a test: a method without arguments that returns nothing or a task.</summary>
    [AttributeUsage(AttributeTargets.Method)]
    internal sealed class TestAttribute : Attribute
    {
    }

    /// <summary>
    /// Runs all tests, or those whose name contains one of the arguments. With --fail-fast, stops at the first failure. The usual runners need the .NET SDK, and these
    /// tests also run on Mono.
    /// </summary>
    internal static class Program
    {
        private static int checks;

        private static int Main(string[] arguments)
        {
            bool failFast = arguments.Contains("--fail-fast");
            string[] words = arguments.Where(argument => argument != "--fail-fast").ToArray();
#if !NET6_0_OR_GREATER
            // .NET has no such limit, and calls the class obsolete.
            System.Net.ServicePointManager.DefaultConnectionLimit = 64;
#endif
            var tests = Assembly.GetExecutingAssembly().GetTypes()
                .SelectMany(type => type.GetMethods(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic))
                .Where(method => method.GetCustomAttribute<TestAttribute>() != null)
                .Where(method => words.Length == 0 || words.Any((method.DeclaringType.Name + "." + method.Name).Contains))
                .ToList();
            var failures = tests.Where(test => !Run(test));
            int failed = failFast ? failures.Take(1).Count() : failures.Count();
            Console.WriteLine(
                failed == 0
                    ? tests.Count + " tests ran, with " + checks + " checks"
                    : failed + " of " + tests.Count + " tests failed");
            return failed == 0 && tests.Count > 0 ? 0 : 1;
        }

        private static bool Run(MethodInfo test)
        {
            string name = test.DeclaringType.Name + "." + test.Name;
            try
            {
                object instance = Activator.CreateInstance(test.DeclaringType);
                if (test.Invoke(instance, null) is Task task) task.GetAwaiter().GetResult();
                return true;
            }
            catch (Exception e)
            {
                Console.WriteLine("FAILED " + name + "\n" + (e is TargetInvocationException ? e.InnerException : e));
                return false;
            }
        }

        internal static void Equal<T>(T expected, T found, string what = "")
        {
            checks++;
            if (!EqualityComparer<T>.Default.Equals(expected, found))
            {
                throw new InvalidOperationException(what + " expected " + expected + ", found " + found);
            }
        }

        internal static void True(bool condition, string what)
        {
            checks++;
            if (!condition) throw new InvalidOperationException(what);
        }

        internal static SigningException SigningFails(Action action)
        {
            checks++;
            try
            {
                action();
            }
            catch (SigningException e)
            {
                return e;
            }
            throw new InvalidOperationException("a SigningException was expected");
        }

        internal static async Task<TException> FailsAsync<TException>(Func<Task> action)
            where TException : Exception
        {
            checks++;
            try
            {
                await action();
            }
            catch (TException e)
            {
                return e;
            }
            throw new InvalidOperationException("a " + typeof(TException).Name + " was expected");
        }
    }
}
