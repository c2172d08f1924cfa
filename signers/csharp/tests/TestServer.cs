using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using Countersign.Testing;

namespace Countersign.Tests
{
    /// <summary>A request as it arrived.</summary>
    internal sealed class Received
    {
        internal string Method;
        internal string Target;
        internal readonly List<KeyValuePair<string, string>> Headers = new List<KeyValuePair<string, string>>();
        internal byte[] Body = new byte[0];

        internal string BodyText => Encoding.UTF8.GetString(Body);

        internal string Header(string name)
        {
            return Headers.Where(line => string.Equals(line.Key, name, StringComparison.OrdinalIgnoreCase))
                .Select(line => line.Value)
                .FirstOrDefault();
        }

        /// <summary>The URL as a service sees it: the Host header and the target, as text.</summary>
        internal string Url => "http://" + Header("Host") + Target;

        internal string Verdict(Verifier verifier)
        {
            return verifier.Verify(Method, Url, Headers, Body).ToString();
        }
    }

    /// <summary>What to answer.</summary>
    internal sealed class Reply
    {
        internal int Status;
        internal string Headers;
        internal byte[] Body;

        internal static Reply Of(int status, string headers, string body)
        {
            return new Reply { Status = status, Headers = headers, Body = Encoding.UTF8.GetBytes(body) };
        }

        internal static Reply Fine()
        {
            return Of(200, "Content-Type: text/plain", "fine");
        }

        internal static Reply Redirect(int status, string location)
        {
            return Of(status, "Location: " + location, "moved");
        }

        /// <summary>Closes the connection without an answer.</summary>
        internal static Reply HangUp()
        {
            return Of(0, "", "");
        }

        internal static Reply Problem(int status, string json)
        {
            return Of(status, "Content-Type: application/problem+json; charset=utf-8", json);
        }
    }

    /// <summary>
    /// An HTTP/1.1 server on a bare socket: it sees what a client really sends, and answers as a test says.
    /// </summary>
    internal sealed class TestServer : IDisposable
    {
        private readonly TcpListener listener = new TcpListener(IPAddress.Loopback, 0);
        private readonly Func<Received, Reply> answers;
        private readonly List<Received> requests = new List<Received>();

        internal TestServer(Func<Received, Reply> answers)
        {
            this.answers = answers;
            listener.Start(200);
            Begin(Accept);
        }

        internal List<Received> Requests
        {
            get
            {
                lock (requests) return requests.ToList();
            }
        }

        internal string Url(string target)
        {
            return "http://127.0.0.1:" + ((IPEndPoint)listener.LocalEndpoint).Port + target;
        }

        public void Dispose()
        {
            listener.Stop();
        }

        private static void Begin(ThreadStart work)
        {
            new Thread(work) { IsBackground = true }.Start();
        }

        private void Accept()
        {
            try
            {
                while (true)
                {
                    TcpClient connection = listener.AcceptTcpClient();
                    Begin(() => Serve(connection));
                }
            }
            catch (Exception e) when (e is SocketException || e is ObjectDisposedException || e is InvalidOperationException)
            {
                // Stopped: the test is over.
            }
        }

        private void Serve(TcpClient connection)
        {
            using (connection)
            {
                try
                {
                    Stream stream = connection.GetStream();
                    while (true)
                    {
                        Received request = Read(stream);
                        lock (requests) requests.Add(request);
                        Reply answer = answers(request);
                        if (answer.Status == 0) return;
                        byte[] reply = Written(answer, request.Method);
                        stream.Write(reply, 0, reply.Length);
                    }
                }
                catch (IOException)
                {
                    // The client has closed the connection.
                }
            }
        }

        private static byte[] Written(Reply reply, string method)
        {
            string head = "HTTP/1.1 " + reply.Status + " Said\r\n" + (reply.Headers == "" ? "" : reply.Headers + "\r\n")
                + "Content-Length: " + reply.Body.Length + "\r\n\r\n";
            return Encoding.ASCII.GetBytes(head).Concat(method == "HEAD" ? new byte[0] : reply.Body).ToArray();
        }

        private static Received Read(Stream stream)
        {
            string[] words = Line(stream).Split(' ');
            var request = new Received { Method = words[0], Target = words[1] };
            for (string line = Line(stream); line != ""; line = Line(stream))
            {
                int colon = line.IndexOf(':');
                request.Headers.Add(
                    new KeyValuePair<string, string>(line.Substring(0, colon), line.Substring(colon + 1).Trim()));
            }
            if (request.Header("Expect") != null)
            {
                byte[] goOn = Encoding.ASCII.GetBytes("HTTP/1.1 100 Continue\r\n\r\n");
                stream.Write(goOn, 0, goOn.Length);
            }
            if (request.Header("Transfer-Encoding") != null)
            {
                var body = new MemoryStream();
                for (int size = ChunkSize(stream); size > 0; size = ChunkSize(stream))
                {
                    body.Write(Bytes(stream, size), 0, size);
                    Line(stream);
                }
                Line(stream);
                request.Body = body.ToArray();
            }
            else if (request.Header("Content-Length") != null)
            {
                request.Body = Bytes(stream, int.Parse(request.Header("Content-Length")));
            }
            return request;
        }

        private static int ChunkSize(Stream stream)
        {
            return Convert.ToInt32(Line(stream), 16);
        }

        private static byte[] Bytes(Stream stream, int count)
        {
            var bytes = new byte[count];
            for (int read = 0; read < count;)
            {
                int more = stream.Read(bytes, read, count - read);
                if (more <= 0) throw new EndOfStreamException();
                read += more;
            }
            return bytes;
        }

        private static string Line(Stream stream)
        {
            var line = new StringBuilder();
            for (int octet = stream.ReadByte(); octet != '\n'; octet = stream.ReadByte())
            {
                if (octet < 0) throw new EndOfStreamException();
                if (octet != '\r') line.Append((char)octet);
            }
            return line.ToString();
        }
    }
}
