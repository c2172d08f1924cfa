// Sends planned requests with .NET's HTTP clients, by Mono. One JSON document per line: a job in, what its author holds
// out, the headers in, the outcome out.
using System;
using System.Collections.Generic;
using System.Collections.Specialized;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text;
using System.Web;
using System.Web.Script.Serialization;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

static class CSharp {
  class Job {
    public string Client, Way, Method, Url, Signs, Sends, Text, Holds, Data;
    public List<string[]> Query = new List<string[]>();
  }

  static object Plain(string data) => new JavaScriptSerializer().DeserializeObject(data);

  static readonly Dictionary<string, Func<string, string>> Serialisers = new Dictionary<string, Func<string, string>> {
    ["newtonsoft"] = data => JsonConvert.SerializeObject(JsonConvert.DeserializeObject(data)),
    ["newtonsoft indented"] = data => JsonConvert.SerializeObject(JsonConvert.DeserializeObject(data), Formatting.Indented),
    ["newtonsoft html"] = data => JsonConvert.SerializeObject(JsonConvert.DeserializeObject(data), new JsonSerializerSettings { StringEscapeHandling = StringEscapeHandling.EscapeHtml }),
    ["newtonsoft ascii"] = data => JsonConvert.SerializeObject(JsonConvert.DeserializeObject(data), new JsonSerializerSettings { StringEscapeHandling = StringEscapeHandling.EscapeNonAscii }),
    ["newtonsoft twice"] = data => JsonConvert.SerializeObject(JsonConvert.SerializeObject(JsonConvert.DeserializeObject(data))),
    ["JToken.ToString"] = data => JToken.Parse(data).ToString(),
    ["JavaScriptSerializer"] = data => new JavaScriptSerializer().Serialize(Plain(data)),
    ["ToString"] = data => Plain(data).ToString(),
  };

  static string Joined(List<string[]> pairs, Func<string, string> change) =>
    string.Join("&", pairs.Select(pair => pair[0] + "=" + change(pair[1])));

  static readonly Dictionary<string, Func<List<string[]>, string>> Queries = new Dictionary<string, Func<List<string[]>, string>> {
    ["naive"] = pairs => Joined(pairs, text => text),
    ["Uri.EscapeDataString"] = pairs => Joined(pairs, Uri.EscapeDataString),
    ["Uri.EscapeUriString"] = pairs => Joined(pairs, Uri.EscapeUriString),
    ["HttpUtility.UrlEncode"] = pairs => Joined(pairs, HttpUtility.UrlEncode),
    ["WebUtility.UrlEncode"] = pairs => Joined(pairs, WebUtility.UrlEncode),
    ["HttpUtility.ParseQueryString"] = pairs => {
      NameValueCollection all = HttpUtility.ParseQueryString("");
      foreach (string[] pair in pairs) all.Add(pair[0], pair[1]);
      return all.ToString();
    },
  };

  static string OwnBody(Job job) {
    if (job.Way == "json") return Serialisers["newtonsoft"](job.Data);
    if (job.Way == "form") return Queries["HttpUtility.ParseQueryString"](job.Query);
    return job.Text;
  }

  static string OwnUrl(Job job) =>
    job.Way == "query" ? job.Url + "?" + Queries["HttpUtility.ParseQueryString"](job.Query) : job.Url;

  static void SendByHttpClient(Job job, List<string[]> headers) {
    var request = new HttpRequestMessage(new HttpMethod(job.Method), OwnUrl(job));
    string body = OwnBody(job);
    if (job.Way == "form")
      request.Content = new FormUrlEncodedContent(job.Query.Select(pair => new KeyValuePair<string, string>(pair[0], pair[1])));
    else if (body != null) request.Content = new StringContent(body);
    foreach (string[] header in headers) {
      if (request.Headers.TryAddWithoutValidation(header[0], header[1])) continue;
      if (request.Content == null) continue;
      request.Content.Headers.Remove(header[0]);
      request.Content.Headers.TryAddWithoutValidation(header[0], header[1]);
    }
    using (var client = new HttpClient { Timeout = TimeSpan.FromSeconds(5) }) client.SendAsync(request).Wait();
  }

  static void SendByWebRequest(Job job, List<string[]> headers) {
    var request = (HttpWebRequest) WebRequest.Create(OwnUrl(job));
    request.Method = job.Method;
    request.Timeout = 5000;
    request.KeepAlive = false;
    request.AllowAutoRedirect = false;
    foreach (string[] header in headers) {
      if (header[0] == "Date") request.Date = DateTime.Parse(header[1]);
      else if (header[0] == "Content-Type") request.ContentType = header[1];
      else request.Headers.Add(header[0], header[1]);
    }
    string body = OwnBody(job);
    if (body != null) {
      byte[] bytes = Encoding.UTF8.GetBytes(body);
      request.ContentLength = bytes.Length;
      using (Stream stream = request.GetRequestStream()) stream.Write(bytes, 0, bytes.Length);
    }
    request.GetResponse().Close();
  }

  static readonly Dictionary<string, Action<Job, List<string[]>>> Clients = new Dictionary<string, Action<Job, List<string[]>>> {
    ["HttpClient"] = SendByHttpClient,
    ["HttpWebRequest"] = SendByWebRequest,
  };

  static Job Read(string line) {
    JsonTextReader reader = new JsonTextReader(new StringReader(line)) { DateParseHandling = DateParseHandling.None };
    JObject node = JObject.Load(reader);
    var job = new Job {
      Client = (string) node["client"], Way = (string) node["way"], Method = (string) node["method"], Url = (string) node["url"],
      Signs = (string) node["signs"], Sends = (string) node["sends"], Text = (string) node["text"], Holds = (string) node["holds"],
      // The data as its text, which is the last member.
      Data = node["data"] == null ? null : line.Substring(line.IndexOf("\"data\":") + 7, line.Length - line.IndexOf("\"data\":") - 8),
    };
    if (node["query"] != null)
      foreach (JToken pair in node["query"]) job.Query.Add(new[] { (string) pair[0], (string) pair[1] });
    return job;
  }

  static void Say(object value) {
    Console.Out.WriteLine(JsonConvert.SerializeObject(value));
    Console.Out.Flush();
  }

  static object Held(string url, string body) =>
    new { held = new { url, body = body == null ? null : Convert.ToBase64String(Encoding.UTF8.GetBytes(body)) } };

  static void Main() {
    ServicePointManager.Expect100Continue = false;
    var input = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false));
    Say(new { clients = Clients.Keys, serialisers = Serialisers.Keys, queries = Queries.Keys });
    for (string line; (line = input.ReadLine()) != null;) {
      try {
        Job job = Read(line);
        if (job.Way == "serialise") {
          Say(Held("", Serialisers[job.Signs](job.Data)));
          continue;
        }
        string url = job.Way == "query" ? job.Url + "?" + Queries[job.Signs](job.Query) : job.Url;
        string body = job.Text;
        if (job.Way == "form") body = Queries[job.Signs](job.Query);
        if (job.Way == "json") body = job.Holds ?? Serialisers[job.Signs](job.Data);
        object held = Held(url, body);
        if (job.Sends != null) {
          job.Text = Serialisers[job.Sends](job.Data);
          job.Way = "text";
        }
        Say(held);
        var headers = new List<string[]>();
        JsonTextReader reader = new JsonTextReader(new StringReader(input.ReadLine())) { DateParseHandling = DateParseHandling.None };
        foreach (JToken header in JObject.Load(reader)["headers"]) headers.Add(new[] { (string) header[0], (string) header[1] });
        Clients[job.Client](job, headers);
        Say(new { sent = true });
      } catch (Exception error) {
        Say(new { error = error.GetType().Name });
      }
    }
  }
}
