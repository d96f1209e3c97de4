/* links: -lsimgrid
 * SimGrid's times of flows that share links, to compare maxmin.c with.
 *
 * Reads sets of flows from standard input; all flows of a set start at 0:
 *
 *     set := nlinks rate... nflows flow...
 *     flow := cap bytes nlinks link...          (cap 0: none)
 *
 * For each set, prints a line with the end of each flow in seconds. Each set
 * runs in a process of its own, since a process can have one SimGrid engine.
 */
#include <simgrid/s4u.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

namespace sg = simgrid::s4u;

struct Flow {
    double cap, bytes;
    std::vector<int> links;
};

struct Set {
    std::vector<double> rate;
    std::vector<Flow> flows;
};

static bool read_set(Set &s)
{
    int nlinks, nflows, nuses;
    if (scanf("%d", &nlinks) != 1)
        return false;
    s.rate.resize(nlinks);
    for (double &r : s.rate)
        if (scanf("%lf", &r) != 1)
            return false;
    if (scanf("%d", &nflows) != 1)
        return false;
    s.flows.resize(nflows);
    for (Flow &f : s.flows) {
        if (scanf("%lf %lf %d", &f.cap, &f.bytes, &nuses) != 3)
            return false;
        f.links.resize(nuses);
        for (int &l : f.links)
            if (scanf("%d", &l) != 1)
                return false;
    }
    return true;
}

static void simulate(const Set &s, char *name)
{
    const char *args[] = {name,
                          "--cfg=network/model:CM02",
                          "--cfg=network/crosstraffic:0",
                          "--cfg=network/TCP-gamma:0",
                          "--cfg=surf/precision:1e-9",
                          "--log=root.thresh:error",
                          nullptr};
    int argc = 6;
    sg::Engine engine(&argc, const_cast<char **>(args));
    sg::NetZone *const zone = sg::create_full_zone("all");
    std::vector<sg::LinkInRoute> links;
    for (size_t i = 0; i < s.rate.size(); i++)
        links.emplace_back(zone->create_link("l" + std::to_string(i), s.rate[i])
                               ->set_latency(0)
                               ->seal());
    std::vector<double> end(s.flows.size());
    for (size_t i = 0; i < s.flows.size(); i++) {
        const std::string n = std::to_string(i);
        sg::Host *const from = zone->create_host("a" + n, 1e9);
        sg::Host *const to = zone->create_host("b" + n, 1e9);
        std::vector<sg::LinkInRoute> route;
        for (int l : s.flows[i].links)
            route.push_back(links[l]);
        if (s.flows[i].cap > 0) // a link of its own
            route.emplace_back(zone->create_link("c" + n, s.flows[i].cap)
                                   ->set_latency(0)
                                   ->seal());
        zone->add_route(from->get_netpoint(), to->get_netpoint(), nullptr,
                        nullptr, route, false);
        const uint64_t nbytes = static_cast<uint64_t>(s.flows[i].bytes);
        sg::Actor::create("f" + n, from, [&end, from, to, i, nbytes] {
            sg::Comm::sendto(from, to, nbytes);
            end[i] = sg::Engine::get_clock();
        });
    }
    zone->seal();
    engine.run();
    for (double e : end)
        printf("%.12g ", e);
    printf("\n");
    fflush(stdout);
}

int main(int, char **argv)
{
    Set s;
    while (read_set(s)) {
        const pid_t pid = fork();
        if (pid == 0) {
            simulate(s, argv[0]);
            _exit(0);
        }
        int status;
        if (waitpid(pid, &status, 0) < 0 || status != 0) {
            fprintf(stderr, "prog_simgrid_flows: a set failed (%d)\n", status);
            return 1;
        }
    }
    return 0;
}
