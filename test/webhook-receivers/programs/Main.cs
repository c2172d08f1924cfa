using System;
using System.IO;

/// <summary>Runs the function of the page on each line of a file: secret, ID, time, signature, body in Base64, now.</summary>
public static class Program
{
    public static void Main()
    {
        foreach (string line in File.ReadAllLines("cases"))
        {
            string[] parts = line.Split('|');
            byte[] body = Convert.FromBase64String(parts[4]);
            bool isGood = Webhooks.IsFromService(parts[0], parts[1], parts[2], parts[3], body, long.Parse(parts[5]));
            Console.WriteLine(isGood ? "accept" : "reject");
        }
    }
}
